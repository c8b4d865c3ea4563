# A program whose connector is online only while it runs and is healthy; agent.compose.yaml runs it.
# Build the image connectorctl first (Dockerfile), then: docker build -f contrib/docker/agent.Dockerfile -t agent .
FROM connectorctl
USER root
RUN install --directory --owner=node --group=node --mode=700 /var/lib/connector
USER node
# The identity of the connector. Give each container its own, and never copy it into an image.
VOLUME /var/lib/connector
STOPSIGNAL SIGTERM
# The check below decides whether heartbeats are sent; the one of the image asks the service.
HEALTHCHECK NONE
ENTRYPOINT ["connectorctl", "connector", "run", "--credentials-file", "/var/lib/connector/connector.json", "--token-file", "/run/secrets/connector_token", "--check", "node -e \"fetch('http://127.0.0.1:8080').then(({ok}) => process.exit(ok ? 0 : 1))\"", "--"]
# In its place: your program, and its health check above.
CMD ["node", "-e", "require('node:http').createServer((request, response) => response.end('ok')).listen(8080)"]
