import puppeteer, { PredefinedNetworkConditions } from 'puppeteer-core'

/** The phone that Lighthouse's mobile preset imitates. */
const { download, upload, latency } = PredefinedNetworkConditions['Slow 4G']
const phone = {
  network: { offline: false, latency, downloadThroughput: download, uploadThroughput: upload },
  slowdown: 4,
}

/**
 * Milliseconds from the click on Join Waitlist to the confirmation on the screen, in a browser of its
 * own: of this machine, or with the line and the processor of a phone.
 */
export async function timeSignUp(site, executablePath, onPhone) {
  const browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage()
    if (onPhone) {
      // Not by Puppeteer's own method: which form of it a browser takes depends on its version.
      const session = await page.createCDPSession()
      await session.send('Network.enable')
      await session.send('Network.emulateNetworkConditions', phone.network)
      await page.emulateCPUThrottling(phone.slowdown)
    }
    await page.goto(site)
    const field = await page.waitForSelector('form[name=hero_section] input[type=email]')
    await field.type(`bench-${crypto.randomUUID()}@example.com`)
    await page.waitForSelector('form[name=hero_section] button:enabled')
    // Both moments by the page's own clock.
    const confirmed = page.evaluate(
      () =>
        new Promise((resolve) => {
          let clicked
          document.addEventListener('click', ({ timeStamp }) => (clicked = timeStamp), true)
          new MutationObserver((_, observer) => {
            const status = [...document.querySelectorAll('output, [role=status]')]
            if (!status.some(({ textContent }) => /waitlist/i.test(textContent))) return
            observer.disconnect()
            requestAnimationFrame(() => resolve(performance.now() - clicked))
          }).observe(document.body, { childList: true, characterData: true, subtree: true })
        }),
    )
    await page.click('form[name=hero_section] button')
    return await confirmed
  } finally {
    await browser.close()
  }
}
