// A launch: new addresses and signed-in people come at a constant rate, whether or not
// what came before has been answered. deploy/bench/product/launch.go runs this and says
// in the file SETTINGS what it needs.
import exec from 'k6/execution'
import http from 'k6/http'

const settings = JSON.parse(open(__ENV.SETTINGS))
const reads = ['/api/auth/user', '/api/get-waitlist-status', '/api/get-credit-balance']

const arrivals = (does) => ({
  executor: 'constant-arrival-rate',
  exec: does,
  rate: settings.rate,
  timeUnit: '1s',
  duration: `${settings.seconds}s`,
  preAllocatedVUs: 100,
  maxVUs: 300,
})

export const options = {
  discardResponseBodies: true,
  scenarios: { signUp: arrivals('signUp'), read: arrivals('read') },
  summaryTrendStats: ['med', 'p(99)', 'max'],
  thresholds: Object.fromEntries(
    ['signUp', 'read'].flatMap((name) => [
      // From the moment of the arrival, so that waiting for a connection counts.
      [`iteration_duration{scenario:${name}}`, [`p(99)<=${settings.p99}`]],
      [`iterations{scenario:${name}}`, ['count>0']],
      [`http_req_failed{scenario:${name}}`, ['rate==0']],
      [`dropped_iterations{scenario:${name}}`, ['count==0']],
    ]),
  ),
}

export function signUp() {
  const email = `launch-${exec.scenario.iterationInTest}@bench.test`
  http.post(`${settings.gateway}/api/add-waitlist-user`, JSON.stringify({ email, source: 'hero_section' }), {
    headers: { 'Content-Type': 'application/json' },
    timeout: '10s',
  })
}

export function read() {
  const n = exec.scenario.iterationInTest
  http.get(settings.gateway + reads[n % reads.length], {
    headers: { Authorization: `Bearer ${settings.tokens[n % settings.tokens.length]}` },
    timeout: '10s',
  })
}

export const handleSummary = (summary) => ({ [settings.summary]: JSON.stringify(summary) })
