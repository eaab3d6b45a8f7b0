-- What each thread of wrk sends, and the figures that it prints in the end. The request
-- is in the environment, see tools.go. In a body %n is a number that no other request
-- has, and %t a refresh token, which each answer replaces by the next: a thread that
-- sends those has one connection.
local threads = {}

function setup(thread)
  thread:set("number", #threads + 1)
  table.insert(threads, thread)
end

function init()
  wrk.method, wanted, wrong = os.getenv("METHOD"), tonumber(os.getenv("STATUS")), 0
  wrk.headers["Content-Type"] = "application/json"
  body = os.getenv("BODY")
  chained = body:find("%%t") ~= nil
  prefix, count = os.getenv("RUN") .. "-" .. number .. "-", number * 7919
  headers, fixed = {}, {}
  local tokens = {}
  for token in io.lines(os.getenv("TOKENS")) do
    table.insert(tokens, token)
    local own = {Authorization = "Bearer " .. token}
    for key, value in pairs(wrk.headers) do own[key] = value end
    table.insert(headers, own)
  end
  if chained then token, headers = tokens[number], {} end
  if #headers == 0 then headers[1] = wrk.headers end
  -- Requests that are always the same are written once.
  if body == "" then
    for i, own in ipairs(headers) do fixed[i] = wrk.format(nil, nil, own) end
  end
end

function request()
  count = count + 1
  if #fixed > 0 then return fixed[count % #fixed + 1] end
  local filled = body:gsub("%%n", prefix .. count)
  if chained then filled = filled:gsub("%%t", token) end
  return wrk.format(nil, nil, headers[count % #headers + 1], filled)
end

function response(status, _, answer)
  if status ~= wanted then wrong = wrong + 1 end
  if chained then token = answer:match('"refresh_token":"(.-)"') or token end
end

function done(summary, latency)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  for _, thread in ipairs(threads) do failed = failed + thread:get("wrong") end
  print(string.format('figures {"PerSecond":%f,"P50":%f,"P99":%f,"Failed":%d}', (summary.requests - failed) / summary.duration * 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, failed))
end
