import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.*;
import java.util.regex.*;

/** java JavaApp.java: the server of the JDK, which sends neither a media type nor, for these, a length. */
public class JavaApp {
    static final Map<Integer, String> connectors = new TreeMap<>();
    static final Map<String, Boolean> tokens = new HashMap<>();

    static String put(int id, String name, String lastSeen) {
        connectors.put(id, "{\"id\":" + id + ",\"name\":\"" + name + "\",\"last_seen\":" + lastSeen + "}");
        return connectors.get(id);
    }

    static String field(String json, String name) {
        Pattern pattern = Pattern.compile("\"" + name + "\" *: *\"([^\"]*)\"");
        return pattern.matcher(json).results().map(found -> found.group(1)).findFirst().orElse("");
    }

    static String answer(String route, String body) {
        int at = Integer.parseInt("0" + route.replaceAll("^.*?(\\d*)(/heartbeat)?$", "$1")), next = connectors.size() + 1;
        if (route.startsWith("PUT /fill/")) {
            connectors.clear();
            for (int one = 1; one <= at; one++) put(one, "web-" + one, "null");
            return "200 ";
        }
        if (route.equals("POST /api/connectors/create-token")) {
            UUID token = UUID.randomUUID();
            tokens.put(token.toString(), false);
            return "200 {\"token\":\"" + token + "\",\"expires_at\":\"" + Instant.now().plusSeconds(600) + "\"}";
        }
        if (route.equals("POST /api/connectors/activate")) {
            String token = field(body, "token"), name = field(body, "name");
            if (name.isEmpty()) return "400 the name is missing";
            if (!tokens.containsKey(token)) return "400 this token is unknown";
            if (tokens.put(token, true)) return "409 this token is used already";
            return "201 {\"connector\":" + put(next, name, "null") + ",\"secret\":\"" + UUID.randomUUID() + "\"}";
        }
        if (route.equals("GET /api/connectors")) return "200 [" + String.join(",", connectors.values()) + "]";
        String one = connectors.get(at);
        if (one == null) return "404 there is no such connector";
        if (route.startsWith("GET ")) return "200 " + one;
        put(at, field(one, "name"), "\"" + Instant.now() + "\"");
        return "200 ok";
    }

    public static void main(String[] words) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("PORT"))), 0);
        server.createContext("/", exchange -> {
            String route = exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
            String answer = answer(route, new String(exchange.getRequestBody().readAllBytes()));
            exchange.sendResponseHeaders(Integer.parseInt(answer.substring(0, 3)), 0);
            exchange.getResponseBody().write(answer.substring(4).getBytes());
            exchange.close();
        });
        server.start();
    }
}
