import { randomUUID } from 'node:crypto'

import { chromium, expect, test, type BrowserContext, type Page, type Request } from './fixture.ts'

import { launchOptions } from '../browser.ts'
import { APP, listen, PKCE } from './app.ts'
import { expectAccessible, overflow } from './axe.ts'
import { answered, collect } from './collector.ts'
import { agree, call, chooseAccount, nthLink, watchLinks } from './mac.ts'
import { signIn, signInOnPages } from './people.ts'
import { newAddress, siteURL } from './stack.ts'

// PostHog takes the headless shell for a robot, and is silent.
test.use({ launchOptions })

/** A token that can be read, and found wherever it turns up. */
function marked(mark: string): string {
  const payload = Buffer.from(JSON.stringify({ sub: mark, email: 'jane@fledge.test' }))
  return `${mark}.${payload.toString('base64url')}.${mark}`
}

/** Everything that a request tells: its address, headers and body. */
async function contentOf(request: Request): Promise<string> {
  return JSON.stringify([request.url(), await request.allHeaders(), request.postData()])
}

test.describe('a visitor who agreed to be told of', () => {
  test.use({ storageState: answered('accepted') })

  test('tokens and codes reach the app and nobody else', async ({ page }) => {
    const { told: events } = await collect(page)
    const email = newAddress('canary')
    await signInOnPages(page, email)
    await expect.poll(() => events.map(({ event }) => event)).toContain('$identify')
    expect(events.find(({ event }) => event === '$identify')?.text).toContain(email)

    const mark = `canary${randomUUID().replaceAll('-', '')}`
    const token = marked(mark)
    const told: { request: Request; content: Promise<string> }[] = []
    page.on('request', (request) => told.push({ request, content: contentOf(request) }))
    const links = await watchLinks(page)
    // The API verifies a token before the app gets it, and would refuse this one.
    let verified = 0
    await page.route('**/api/auth/user', async (route) => {
      if (!(await route.request().headerValue('authorization'))?.includes(mark))
        return route.fallback()
      verified += 1
      const { body } = await call(page.request, 'GET', '/api/auth/user')
      await route.fulfill({ json: body })
    })
    const secrets = `access_token=${token}&refresh_token=${mark}&code=${mark}`
    const visits = [
      // Ends at a page of the site, which is left for another one.
      [`/auth/callback?redirect=%2Fprofile&${secrets}#${secrets}`, '/profile'],
      // A link that is not the app's, a page that wants nothing of it, an error that leads home.
      [`/auth/callback?callback=https://evil.example/&${secrets}#${secrets}`, '/auth/callback'],
      [`/auth?provider=google&${secrets}#${secrets}`, '/auth'],
      [`/auth/error?${secrets}#${secrets}`, '/auth/error'],
      [`/auth/callback?error=failed&${secrets}#${secrets}`, '/'],
      // The hand-off itself.
      [
        `/auth/callback?callback=${APP}&state=s&code=${mark}#access_token=${token}`,
        '/auth/callback',
      ],
    ] as const
    for (const [address, end] of visits) {
      await page.goto(address)
      await page.waitForURL((url) => url.pathname === end && !url.href.includes(mark))
      await page.waitForLoadState('networkidle')
      const state = await page.evaluate(() =>
        JSON.stringify([
          location.href,
          document.cookie,
          { ...localStorage },
          { ...sessionStorage },
        ]),
      )
      expect(state, address).not.toContain(mark)
      if (end !== '/profile') continue
      await page.getByRole('region', { name: 'Closed beta' }).getByRole('link').click()
      await page.waitForURL('**/closed-beta')
      await expect.poll(() => events.map(({ path }) => path)).toContain('/closed-beta')
    }
    expect(verified).toBe(1)
    await agree(page, email)
    await expect(page.getByRole('heading', { name: 'Authentication Successful!' })).toBeVisible()

    expect(await nthLink(links, 0)).toContain(`access_token=${token}`)
    const addresses = visits.map(([address]) => new URL(address, siteURL).href.split('#')[0])
    for (const { request, content } of told) {
      // What the test itself asked for, and the app's link.
      if (addresses.includes(request.url()) || request.url().startsWith(APP)) {
        expect((await request.allHeaders()).referer).toBeUndefined()
        continue
      }
      // The API, which verifies the token.
      if (new URL(request.url()).pathname === '/api/auth/user') continue
      expect(await content).not.toContain(mark)
    }
    expect(events.filter(({ path }) => path.startsWith('/auth'))).toEqual([])
    expect(JSON.stringify(events)).not.toContain(mark)
  })
})

test('the address is cleared before anything else on the page runs', async ({ page }) => {
  await page.addInitScript(() => {
    const replaceState = history.replaceState.bind(history)
    const first = { done: false }
    history.replaceState = (...args) => {
      const left = new URL(String(args[2]), location.href).href
      if (!first.done) {
        // TURBOPACK may be there: a file that came early only lists its modules, none of which runs before the page's last lines ask for it.
        const ran = ['__next_f', 'next'].filter((name) => name in globalThis)
        const headings = document.querySelectorAll('h1').length
        Object.assign(globalThis, { atFirst: { ran, headings, left } })
      }
      first.done = true
      replaceState(...args)
    }
  })
  const { search } = new URL('?' + new URLSearchParams({ callback: `${APP}/` }), siteURL)
  await page.goto(`/auth/callback${search}&code=secret#access_token=secret`)
  await expect(page.getByRole('heading', { name: "This link can't be opened" })).toBeVisible()
  const atFirst = await page.evaluate(() => (globalThis as { atFirst?: unknown }).atFirst)
  expect(atFirst).toEqual({ ran: [], headings: 0, left: `${siteURL}/auth/callback${search}` })
})

test('a page of the sign-in sends no referrer', async ({ request }) => {
  for (const path of ['/auth', '/auth/callback', '/auth/error', '/auth/nowhere', '/signin']) {
    const response = await request.get(path)
    expect(response.headers()['referrer-policy'], path).toBe('no-referrer')
  }
})

test('the page comes to life as it was rendered, with the script in its head', async ({ page }) => {
  await page.addInitScript(() => {
    document.addEventListener('DOMContentLoaded', () => {
      Object.assign(window, { rendered: document.querySelector('.skip-link') })
    })
  })
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  await page.goto(`/auth/callback?callback=https://evil.example/#access_token=x`)
  await expect(page.getByRole('heading', { name: "This link can't be opened" })).toBeVisible()
  await page.waitForLoadState('networkidle')
  const taken = await page.evaluate(
    () => (globalThis as unknown as { rendered: Element }).rendered.isConnected,
  )
  expect(taken).toBe(true)
  expect(problems).toEqual([])
})

test.describe('an app that waits', () => {
  test('is told when the person cancels', async ({ page }) => {
    const app = await listen()
    await page.goto(app.start)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByRole('heading', { name: 'The app' })).toBeVisible()
    const error_description = 'The provider did not confirm the sign-in'
    expect(app.received).toEqual([
      {
        path: '/auth/callback',
        query: { error: 'access_denied', error_description, state: 's&t' },
      },
    ])
    app.close()
  })

  test('still gets its code after a try that failed', async ({ page }) => {
    const app = await listen()
    await page.goto(app.start)
    await page.getByLabel('E-mail is not verified').check()
    await chooseAccount(page, newAddress('unverified'))
    await expect(
      page.getByRole('heading', { name: 'Your email address is not verified' }),
    ).toBeVisible()
    expect(app.received).toEqual([])
    await page.getByRole('button', { name: 'Continue with Google' }).click()
    const email = newAddress('verified')
    await chooseAccount(page, email)
    await agree(page, email)
    await expect(page.getByRole('heading', { name: 'The app' })).toBeVisible()
    expect(app.received).toEqual([
      { path: '/auth/callback', query: { code: expect.any(String), state: 's&t' } },
    ])
    app.close()
  })
})

test('a page that leads here gets nothing from whoever is signed in', async ({ context, page }) => {
  const email = newAddress('victim')
  await signIn(page, email)
  const asked: string[] = []
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/auth/hand-off') asked.push(request.url())
  })
  const app = await listen()
  const foreign = 'http://foreign.example/'
  await context.route(`${foreign}**`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>Elsewhere</h1>' }),
  )
  await page.goto(foreign)
  await page.evaluate((to) => location.assign(to), siteURL + app.start)
  await expect(
    page.getByRole('heading', { name: 'Sign in a program on this computer?' }),
  ).toBeFocused()
  await expect(page.getByText(email, { exact: true })).toBeVisible()
  await expectAccessible(page)
  for (const width of [360, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await overflow(page), `horizontal overflow at ${width} px`).toBe(0)
  }

  // The same for the app's link, as if the app had been opened before, and in a frame.
  const links = await watchLinks(page)
  await page.goto(`/auth/callback?callback=${APP}&state=s&opened=1`)
  await expect(page.getByRole('heading', { name: 'Sign in to Fledge on your Mac?' })).toBeFocused()
  await page.goto(foreign)
  await page.evaluate(
    (src) =>
      new Promise((onload) => {
        document.body.append(Object.assign(document.createElement('iframe'), { src, onload }))
      }),
    siteURL + app.start,
  )
  expect(asked).toEqual([])
  expect(app.received).toEqual([])
  expect(links).toEqual([])
  app.close()
})

test('the person uses another account, and the provider that the app asked for', async ({
  page,
}) => {
  await signIn(page, newAddress('first'))
  const links = await watchLinks(page)
  await page.goto(`/auth?provider=google&callback=${APP}&state=s&${PKCE}`)
  await page.getByRole('button', { name: 'Use another account' }).click()
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  const second = newAddress('second')
  await chooseAccount(page, second)
  await expect(page.getByText(`Signed in as ${second}`)).toBeVisible()
  await nthLink(links, 0)

  const third = newAddress('third')
  const tab = await page.context().newPage()
  await watchLinks(tab)
  await tab.goto(`/auth?provider=apple&callback=${APP}&state=s&${PKCE}`)
  await chooseAccount(tab, third)
  await expect(tab.getByText(`Signed in as ${third}`)).toBeVisible()
  const { body } = await call(page.request, 'GET', '/api/auth/user')
  expect(body).toMatchObject({ email: third, app_metadata: { provider: 'apple' } })
})

test('the app is opened once, however often the page is loaded or copied', async ({
  context,
  page,
}) => {
  const email = newAddress('once')
  await signIn(page, email)
  let codes = 0
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/auth/hand-off') codes += 1
  })
  const links = await watchLinks(page)
  await page.goto(`/auth/callback?callback=${APP}&state=s`)
  await agree(page, email)
  await expect(page.getByRole('heading', { name: 'Authentication Successful!' })).toBeVisible()
  await nthLink(links, 0)
  const asks = page.getByRole('heading', { name: 'Sign in to Fledge on your Mac?' })
  // Chromium gives up a reload that comes before it is done with the app's link.
  await expect(() => page.reload()).toPass()
  await expect(asks).toBeVisible()
  const copy = await context.newPage()
  await copy.goto(page.url())
  await expect(copy.getByRole('heading', { name: 'Sign in to Fledge on your Mac?' })).toBeVisible()
  expect(codes).toBe(1)
  expect(links).toHaveLength(1)
  const { body } = await call(context.request, 'GET', '/api/auth/devices')
  expect((body as { data: unknown[] }).data).toHaveLength(2)

  await agree(copy, email)
  await expect.poll(() => codes).toBe(2)
})

test('a browser that starts again with its tabs opens no app', async () => {
  const email = newAddress('restored')
  const start = () =>
    chromium.launchPersistentContext(test.info().outputPath('browser'), {
      ...launchOptions,
      args: [...launchOptions.args, '--restore-last-session'],
      baseURL: siteURL,
    })
  const devices = async (context: BrowserContext) => {
    const { body } = await call(context.request, 'GET', '/api/auth/devices')
    return (body as { data: unknown[] }).data.length
  }
  const before = await start()
  const page = await before.newPage()
  await signIn(page, email)
  await page.goto(`/auth/callback?callback=${APP}&state=s`)
  await agree(page, email)
  await expect(page.getByRole('heading', { name: 'Authentication Successful!' })).toBeVisible()
  expect(await devices(before)).toBe(2)
  await before.close()

  const after = await start()
  const restored = () => after.pages().filter((page) => page.url().includes('/auth/callback'))
  await expect.poll(() => restored().length).toBe(1)
  const [tab] = restored() as [Page]
  await expect(tab.getByRole('heading', { name: 'Sign in to Fledge on your Mac?' })).toBeVisible()
  expect(await devices(after)).toBe(2)
  await after.close()
})

test('the page says when the app cannot be opened, and tries again', async ({ page }) => {
  const email = newAddress('again')
  await signIn(page, email)
  const links = await watchLinks(page)
  await page.route('**/api/auth/hand-off', (route) => route.abort())
  await page.goto(`/auth/callback?callback=${APP}&state=s&${PKCE}`)
  await agree(page, email)
  const title = page.getByRole('heading', { name: "Fledge on your Mac isn't signed in yet" })
  await expect(title).toBeFocused()
  await expect(page.getByText('Network error. Please try again.')).toBeVisible()
  await expectAccessible(page)

  await page.unroute('**/api/auth/hand-off')
  await page.getByRole('button', { name: 'Try again' }).click()
  const success = page.getByRole('heading', { name: 'Authentication Successful!' })
  await expect(success).toBeFocused()
  const link = new URL(await nthLink(links, 0))
  expect(Object.fromEntries(link.searchParams)).toEqual({ code: expect.any(String), state: 's' })
  await expectAccessible(page)
  for (const width of [360, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await overflow(page), `horizontal overflow at ${width} px`).toBe(0)
  }
})
