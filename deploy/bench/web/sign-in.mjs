import puppeteer from 'puppeteer-core'

/** Signs in with the stand-in for Google, in the browser behind `port`; its cookies stay there. */
export async function signIn(port, site, email) {
  const browser = await puppeteer.connect({ browserURL: `http://127.0.0.1:${port}` })
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(`${site}/closed-beta`)
  await page.locator('main ::-p-aria([name="Sign In"][role="button"])').click()
  await page.locator('::-p-aria([name="Continue with Google"][role="button"])').click()
  await page.locator('::-p-aria([name="E-mail"][role="textbox"])').fill(email)
  await page.locator('::-p-aria([name="Continue"][role="button"])').click()
  await page.waitForFunction(
    'location.pathname === "/closed-beta" && document.cookie.includes("fledge_hint")',
  )
  // What follows is a first visit to the page that is measured, only not to the site's cookies.
  await (await page.createCDPSession()).send('Network.clearBrowserCache')
  await page.close()
  await browser.disconnect()
}
