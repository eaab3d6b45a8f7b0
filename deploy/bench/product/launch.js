// A launch: new addresses and signed-in people come at a constant rate, whether or not
// what came before has been answered. launch.go runs this and says in SETTINGS what it
// needs.
import exec from 'k6/execution'
import http from 'k6/http'

const settings = JSON.parse(__ENV.SETTINGS)
const rate = 500 // of each kind in a second
const seconds = 30
const most = 250 // ms, of the slowest hundredth

const reads = ['/api/auth/user', '/api/get-waitlist-status', '/api/get-credit-balance']
const kinds = {
  signUp: 'POST /api/add-waitlist-user, new addresses',
  read: 'signed-in reads: auth/user, get-waitlist-status, get-credit-balance in turn',
}

const arrivals = (does) => ({
  executor: 'constant-arrival-rate',
  exec: does,
  rate,
  duration: `${seconds}s`,
  preAllocatedVUs: 100,
  maxVUs: 300,
})

export const options = {
  discardResponseBodies: true,
  scenarios: Object.fromEntries(Object.keys(kinds).map((kind) => [kind, arrivals(kind)])),
  summaryTrendStats: ['med', 'p(99)', 'max'],
  thresholds: Object.fromEntries(
    Object.keys(kinds).flatMap((kind) => [
      // From the moment of the arrival, so that waiting for a connection counts.
      [`iteration_duration{scenario:${kind}}`, [`p(99)<=${most}`]],
      [`iterations{scenario:${kind}}`, ['count>0']],
      [`http_req_failed{scenario:${kind}}`, ['rate==0']],
      [`dropped_iterations{scenario:${kind}}`, ['count==0']],
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

const met = (ok) => (ok ? 'met' : 'missed')

export function handleSummary({ metrics }) {
  const rows = Object.entries(kinds).map(([kind, name]) => {
    const of = (metric) => metrics[`${metric}{scenario:${kind}}`]?.values ?? {}
    const took = of('iteration_duration')
    // k6 counts failed requests as passes of this rate, and a request that it could not
    // send for lack of clients as dropped.
    const sent = of('iterations').count ?? 0
    const failed = of('http_req_failed').passes ?? 0
    const dropped = of('dropped_iterations').count ?? 0
    const times = ['med', 'p(99)', 'max'].map((figure) => took[figure]?.toFixed(2))
    return [name, sent, ...times, met(sent > 0 && took['p(99)'] <= most), failed, dropped, met(failed + dropped === 0)]
  })
  const table = [
    ['requests', 'sent', 'p50 ms', 'p99 ms', 'longest ms', `p99 ≤ ${most}`, 'failed', 'not sent', '0 of both'],
    ['---', ...Array(4).fill('---:'), '---', '---:', '---:', '---'],
    ...rows,
  ]
  const text = table.map((row) => `| ${row.join(' | ')} |\n`).join('')
  return { [settings.table]: `The product has just started. ${rate} requests a second of each kind for ${seconds} s (open loop):\n\n${text}` }
}
