# ruby sinatra_app.rb, which runs Puma.
require 'json'
require 'securerandom'
require 'sinatra'
require 'time'

set :bind, '127.0.0.1'
set :port, ENV.fetch('PORT').to_i
set :server, :puma
set :environment, :production
set :quiet, true

connectors = {}
tokens = {}
add = lambda do |name|
  id = connectors.size + 1
  connectors[id] = { id: id, name: name, last_seen: nil }
end
find = ->(app) { connectors[app.params['id'].to_i] || app.halt(404, 'there is no such connector') }

put '/fill/:count' do
  connectors.clear
  params['count'].to_i.times { |at| add.call("web-#{at + 1}") }
  204
end

post '/api/connectors/create-token' do
  token = SecureRandom.hex
  tokens[token] = false
  { token: token, expires_at: (Time.now.utc + 600).iso8601 }.to_json
end

post '/api/connectors/activate' do
  body = JSON.parse(request.body.read)
  halt 400, 'the name is missing' if body['name'].to_s.empty?
  halt 400, 'this token is unknown' unless tokens.key?(body['token'])
  halt 409, 'this token is used already' if tokens[body['token']]
  tokens[body['token']] = true
  status 201
  add.call(body['name']).merge(api_key: SecureRandom.hex).to_json
rescue JSON::ParserError
  halt 400, 'this is not JSON'
end

get('/api/connectors') { connectors.values.to_json }

get('/api/connectors/:id') { find.call(self).to_json }

post '/api/connectors/:id/heartbeat' do
  find.call(self)[:last_seen] = Time.now.utc.iso8601
  'ok'
end
