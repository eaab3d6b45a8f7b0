import { expect, test, type BrowserContext, type Page } from './fixture.ts'

import { launchOptions } from '../browser.ts'
import { listen } from './app.ts'
import { signIn } from './people.ts'
import { newAddress, siteURL } from './stack.ts'

// Only the whole browser loads pages ahead of being shown.
test.use({ launchOptions })

/** A foreign page, and which requests for an app's code were made. */
async function lure(context: BrowserContext, page: Page) {
  const email = newAddress('lured')
  await signIn(page, email)
  const handOffs: string[] = []
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/auth/hand-off') handOffs.push(request.url())
  })
  const app = await listen()
  const nothingLeft = () => {
    expect(handOffs).toEqual([])
    expect(app.received).toEqual([])
  }
  const goElsewhere = async (body: string) => {
    const foreign = 'http://foreign.example/'
    await context.route(foreign, (route) => route.fulfill({ contentType: 'text/html', body }))
    await page.goto(foreign)
  }
  return { app, email, nothingLeft, goElsewhere }
}

const question = (page: Page) =>
  page.getByRole('heading', { name: 'Sign in a program on this computer?' })

test('a foreign page that opens the question in a window cannot answer it', async ({
  context,
  page,
}) => {
  const { app, email, nothingLeft, goElsewhere } = await lure(context, page)
  await goElsewhere(`<script>
    const play = () => { window.opened = window.open('${siteURL}${app.start}', 'fledge', 'width=400,height=400') }
  </script><button onclick="play()">Play</button>`)
  const opening = context.waitForEvent('page')
  await page.getByRole('button', { name: 'Play' }).click()
  const opened = await opening
  await expect(question(opened)).toBeVisible()
  const reached = await page.evaluate(() => {
    const { opened } = window as unknown as { opened: Window | null }
    opened?.focus()
    opened?.postMessage('Continue', '*')
    try {
      return opened?.document.title ?? 'closed'
    } catch (error) {
      return (error as Error).name
    }
  })
  expect(['SecurityError', 'closed']).toContain(reached)
  await page.bringToFront()
  await page.keyboard.press('Enter')
  await expect(question(opened)).toBeVisible()
  await expect(opened.getByText(email, { exact: true })).toBeVisible()
  nothingLeft()
  app.close()
})

test('a foreign page that loads the question ahead gets nothing', async ({ context, page }) => {
  const { app, nothingLeft, goElsewhere } = await lure(context, page)
  const target = siteURL + app.start
  const href = target.replaceAll('&', '&amp;')
  const rule = { urls: [target], eagerness: 'immediate' }
  await goElsewhere(`<title>Elsewhere</title>
    <link rel="prerender" href="${href}"><link rel="prefetch" href="${href}">
    <script type="speculationrules">${JSON.stringify({ prerender: [rule], prefetch: [rule] })}</script>`)
  await page.waitForLoadState('networkidle')
  nothingLeft()
  await page.evaluate((address) => location.assign(address), target)
  await expect(question(page)).toBeVisible()
  nothingLeft()
  app.close()
})

test('nothing can be pressed in a tab behind another, nor as it comes to the front', async ({
  context,
  page,
}) => {
  const { app, nothingLeft } = await lure(context, page)
  // Playwright shows every page as if it were in front.
  await context.addInitScript(() => {
    const state = { seen: false }
    Object.assign(globalThis, { state })
    Object.defineProperty(document, 'visibilityState', {
      get: () => (state.seen ? 'visible' : 'hidden'),
    })
  })
  const behind = await context.newPage()
  await behind.goto(app.start)
  await expect(question(behind)).toBeVisible()
  const button = behind.getByRole('button', { name: 'Continue' })
  await button.click({ force: true })
  await button.press('Enter')
  await expect(question(behind)).toBeVisible()
  nothingLeft()

  // A click in the moment in which the tab comes to the front was meant for what stood there.
  await button.evaluate((pressed: HTMLButtonElement) => {
    Object.assign((globalThis as unknown as { state: object }).state, { seen: true })
    document.dispatchEvent(new Event('visibilitychange'))
    pressed.click()
  })
  await expect(question(behind)).toBeVisible()
  nothingLeft()
  await expect(button).not.toHaveAttribute('aria-disabled', 'true')
  await button.click()
  await expect.poll(() => app.received).toHaveLength(1)
  app.close()
})
