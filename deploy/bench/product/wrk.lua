-- What each of wrk's threads sends, and what it tells in the end. The first argument
-- names a file with the request, see wrk.go.
local threads = {}

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

function init(args)
  settings = dofile(args[1])
  count, wrong = 0, 0
  local headers = {["Content-Type"] = "application/json"}
  for key, value in pairs(settings.headers) do headers[key] = value end
  prefix = settings.run .. "-" .. number .. "-"
  fixed = nil
  bodies = settings.body ~= "" and settings.body or nil
  each = {}
  for i, token in ipairs(settings.tokens) do
    local own = {}
    for key, value in pairs(headers) do own[key] = value end
    own["Authorization"] = "Bearer " .. token
    each[i] = own
  end
  if #each == 0 then each[1] = headers end
  count = number * 7919
  if not (bodies and bodies:find("%%s")) then
    fixed = {}
    for _, own in ipairs(each) do
      table.insert(fixed, wrk.format(settings.method, nil, own, bodies))
      if settings.also ~= "" then table.insert(fixed, wrk.format(settings.method, settings.also, own, bodies)) end
    end
  end
end

function request()
  count = count + 1
  if fixed then return fixed[count % #fixed + 1] end
  return wrk.format(settings.method, nil, each[count % #each + 1], (bodies:gsub("%%s", prefix .. count)))
end

function response(status)
  if status ~= settings.status then wrong = wrong + 1 end
end

function done(summary, latency)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  for _, thread in ipairs(threads) do failed = failed + thread:get("wrong") end
  io.write(string.format('\nfigures {"Requests":%d,"Micros":%d,"P50":%d,"P99":%d,"Failed":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), failed))
end
