import { launch } from 'chrome-launcher'
import lighthouse from 'lighthouse'
const [base, runs, ...paths] = process.argv.slice(2)
for (const p of paths) for (let i = 0; i < runs; i++) {
  const chrome = await launch({ chromePath: '/usr/bin/chromium', chromeFlags: ['--headless=new', '--no-sandbox', '--disable-gpu'] })
  try {
    const { lhr, artifacts } = await lighthouse(base + p, { port: chrome.port, logLevel: 'error', output: 'json', onlyCategories: ['performance'] })
    const n = (id) => Math.round(lhr.audits[id].numericValue ?? -1)
    console.log(p, 'perf', Math.round(lhr.categories.performance.score*100), 'FCP', n('first-contentful-paint'), 'LCP', n('largest-contentful-paint'), 'TBT', n('total-blocking-time'), 'CLS', lhr.audits['cumulative-layout-shift'].numericValue?.toFixed(3), 'SI', n('speed-index'), 'bench', lhr.environment.benchmarkIndex)
    const d = lhr.audits.metrics?.details?.items?.[0]; if (d) console.log('  observed FCP', d.observedFirstContentfulPaint, 'LCP', d.observedLargestContentfulPaint, 'load', d.observedLoad, 'dcl', d.observedDomContentLoaded)
    if (process.env.V) { 
      const items = lhr.audits['network-requests'].details.items
      for (const it of items) console.log('   ', Math.round(it.networkRequestTime), Math.round(it.networkEndTime), it.priority, it.resourceType, it.transferSize, it.url.slice(base.length, base.length+60))
      for (const t of lhr.audits['long-tasks']?.details?.items ?? []) console.log('    long', Math.round(t.startTime), Math.round(t.duration), t.url.slice(-40))
      console.log(JSON.stringify(lhr.audits['lcp-breakdown-insight']?.details?.items?.[1] ?? lhr.audits['lcp-discovery-insight']?.details ?? {}).slice(0,400))
    }
  } catch (e) { console.log(p, e.message) } finally { await chrome.kill() }
}
