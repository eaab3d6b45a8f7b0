// A mix of requests at a constant rate, whether or not what came before has been answered. rates.go runs
// this, says in SETTINGS what it needs, and reads the result.
import exec from 'k6/execution'
import http from 'k6/http'

const settings = JSON.parse(__ENV.SETTINGS)
const reads = ['/api/auth/user', '/api/get-waitlist-status', '/api/get-credit-balance']

export const options = {
  discardResponseBodies: true,
  scenarios: {
    mix: {
      executor: 'constant-arrival-rate',
      rate: settings.rate,
      duration: `${settings.seconds}s`,
      preAllocatedVUs: 50,
      maxVUs: 500,
    },
  },
  summaryTrendStats: ['med', 'p(99)'],
}

export default function () {
  const n = exec.scenario.iterationInTest
  const headers = {
    'Content-Type': 'application/json',
    // Another person in each ten, so that everybody sends every kind.
    Authorization: `Bearer ${settings.tokens[Math.floor(n / 10) % settings.tokens.length]}`,
  }
  const post = (path, body) =>
    http.post(settings.gateway + path, JSON.stringify(body), { headers, timeout: '10s' })
  const kind = n % 10
  if (kind < 4) http.get(`${settings.gateway}/api/updates/latest-mac.yml`, { timeout: '10s' })
  else if (kind < 7) http.get(settings.gateway + reads[kind - 4], { headers, timeout: '10s' })
  else if (kind < 9)
    post('/api/consume-credits', { amount: 1, description: 'Generated screen', idempotencyKey: `${settings.run}-${n}` })
  else post('/api/add-waitlist-user', { email: `rate-${settings.run}-${n}@bench.test`, source: 'hero_section' })
}

export function handleSummary({ metrics }) {
  const took = metrics.iteration_duration?.values ?? {}
  const result = {
    P50: took.med ?? 0,
    P99: took['p(99)'] ?? 0,
    // k6 counts failed requests as passes of this rate.
    Failed: metrics.http_req_failed?.values.passes ?? 0,
    NotSent: metrics.dropped_iterations?.values.count ?? 0,
  }
  return { [settings.result]: JSON.stringify(result) }
}
