import puppeteer from 'puppeteer-core'
const [base, dir, ...paths] = process.argv.slice(2)
const b = await puppeteer.launch({ executablePath: '/usr/bin/chromium', args: ['--headless=new','--no-sandbox','--disable-gpu','--disable-quic','--disable-background-networking'] })
for (const p of paths) for (const w of [360, 768, 1440]) {
  const page = await b.newPage(); await page.setViewport({ width: w, height: 900 })
  page.on('console', (m) => console.log(p, w, m.type(), m.text())); page.on('pageerror', (e) => console.log(p, w, 'ERR', e.message))
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.goto(base + p, { waitUntil: 'networkidle0' }); await new Promise((r) => setTimeout(r, 800))
  await page.screenshot({ path: `${dir}/${p.replace(/\W+/g, '_')}-${w}.png`, fullPage: p !== '/blog/figma-to-swiftui' }); await page.close()
}
await b.close()
