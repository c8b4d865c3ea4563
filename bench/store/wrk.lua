-- The requests of a file, one after another: "METHOD PATH KEY" on each line.
-- wrk -s wrk.lua URL -- FILE

local requests = {}
local sent = 0

function init(arguments)
  for line in io.lines(arguments[1]) do
    local method, path, key = line:match("^(%S+) (%S+) (%S+)$")
    requests[#requests + 1] = wrk.format(method, path, {["Authorization"] = "Bearer " .. key})
  end
end

function request()
  sent = sent + 1
  return requests[(sent - 1) % #requests + 1]
end

function done(summary)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("\nresult %d %d %d\n", summary.requests, summary.duration, failed))
end
