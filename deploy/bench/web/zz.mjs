import { launch } from 'chrome-launcher'
import { measure } from './measure.mjs'
const [base, runs, ...paths] = process.argv.slice(2)
const med = (a) => [...a].sort((x, y) => x - y)[a.length >> 1]
const rows = Object.fromEntries(paths.map((p) => [p, []]))
for (let i = 0; i < +runs; i++) for (const p of paths) {
  const c = await launch({ chromePath: '/usr/bin/chromium', chromeFlags: ['--headless=new','--no-sandbox','--disable-gpu','--disable-quic','--disable-background-networking','--disable-component-update','--disable-sync'] })
  rows[p].push(await measure(c.port, { url: base + p })); c.kill()
}
for (const p of paths) { const g = (k) => rows[p].map((r) => Math.round(r[k])); console.log(p, 'perf', g('performance').join(' '), '| fcp', med(g('fcp')), '| lcp', g('lcp').join(' '), '| tbt', g('tbt').join(' '), '| cls', rows[p].map(r=>r.cls.toFixed(3)).join(' '), '| a11y', med(g('accessibility')), 'bp', med(g('best-practices')), 'seo', med(g('seo')), '| kb', med(g('bytes')), '| bench', med(g('benchmark'))) ; const f = rows[p][0].findings; if (f.length) console.log('   ', f.join('\n    ')) }
