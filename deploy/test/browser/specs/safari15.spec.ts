import { missing } from '../../../../web/lint/browsers.mjs'
import { test as plain } from '@playwright/test'
import { expect, test, type Page } from './fixture.ts'

import { joinWaitlist, signInOnPages } from './people.ts'
import { credits, openPlans, planCard, planNamed } from './profile.ts'
import { newAddress } from './stack.ts'
import { payAtCheckout } from './stripe.ts'

/** Removes the functions that Safari 15.6 lacks from a page's globals and prototypes. */
function becomeSafari15(missing: string[]): void {
  const prototypes = Object.getOwnPropertyNames(window)
    .map(
      (name) =>
        (window as unknown as Record<string, { prototype?: object } | undefined>)[name]?.prototype,
    )
    .filter((prototype) => prototype !== undefined && prototype !== null)
  const helpers = 'drop every filter find flatMap forEach map reduce some take toArray'.split(' ')
  const iterator = Object.getPrototypeOf(Object.getPrototypeOf([].values())) as object
  for (const helper of helpers) Reflect.deleteProperty(iterator, helper)
  for (const name of missing) {
    const [owner = '', member = owner] = name.split('.')
    const object = (window as unknown as Record<string, object | undefined>)[owner]
    const places =
      owner === member ? [window, ...prototypes] : [object, object && Object.getPrototypeOf(object)]
    for (const place of places) {
      if (place && Object.hasOwn(place, member)) Reflect.deleteProperty(place, member)
    }
  }
  Reflect.deleteProperty(URLSearchParams.prototype, 'size')
  Reflect.deleteProperty(HTMLElement.prototype, 'popover')
  window.CSSStyleSheet = new Proxy(CSSStyleSheet, {
    construct: () => {
      throw new TypeError('Illegal constructor')
    },
  })
  window.FormData = new Proxy(FormData, {
    construct: (target, [form]: [HTMLFormElement?]) => new target(form),
  })
}

const tooOld = (page: Page) => page.getByText('This browser is too old for this page.')

test('a browser like Safari 15.6 joins, signs in, buys and asks for help', async ({
  context,
  page,
}) => {
  test.setTimeout(300_000)
  await context.addInitScript(becomeSafari15, missing)
  // What no test can take from Chromium: these would keep the whole script from being read.
  const unreadable: string[] = []
  context.on('response', async (response) => {
    if (response.request().resourceType() !== 'script') return
    const script = await response.text().catch(() => '')
    if (/\(\?<[=!]|\bstatic\s*\{/.test(script)) unreadable.push(response.url())
  })
  const email = newAddress('monterey')

  await test.step('it lacks what it has to', async () => {
    await page.goto('/terms')
    const has = await page.evaluate(() => [
      'parse' in URL,
      'timeout' in AbortSignal,
      'toSorted' in Array.prototype,
      'groupBy' in Object,
      'requestSubmit' in HTMLFormElement.prototype,
      'adoptedStyleSheets' in document,
      'requestIdleCallback' in window,
    ])
    expect(has).toEqual([false, false, false, false, false, false, false])
    await expect(tooOld(page)).toBeHidden()
  })

  await test.step('it joins', () => joinWaitlist(page, email))

  await test.step('it signs in', async () => {
    await signInOnPages(page, email)
    await expect(page.getByText('Your waitlist application is pending approval.')).toBeVisible()
  })

  await test.step('it buys a plan', async () => {
    await page.goto('/profile')
    await expect(planCard(page, 'Free Plan')).toBeVisible()
    const plans = await openPlans(page, 'Upgrade Plan')
    await planNamed(plans, 'Pro').getByRole('button', { name: 'Upgrade' }).click()
    await payAtCheckout(page, '$25.00')
    const welcome = page.getByRole('dialog', { name: 'Welcome to Pro!' })
    await welcome.getByRole('button', { name: 'Get Started' }).click()
    await expect(credits(page)).toContainText('/ 50')
  })

  await test.step('it asks for help', async () => {
    await page.getByRole('button', { name: 'Support', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Support' })
    await form.getByLabel('What is it about?').selectOption('other')
    await form.getByLabel('Message').fill('Hello from an old Mac.')
    await form.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(form.getByRole('heading', { name: 'We have your message' })).toBeVisible()
    await form.getByRole('button', { name: 'Done' }).click()
  })

  await test.step('it signs out', async () => {
    await page.getByRole('button', { name: 'Account menu' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL((url) => url.pathname === '/')
  })

  expect(unreadable, 'scripts with syntax that Safari 15.6 does not know').toEqual([])
})

// Not the test of the fixture: what such a browser lacks may fail, and the page be readable all the same.
plain('a browser that is older still says so, and shows what it can', async ({ context, page }) => {
  await context.addInitScript(() => {
    for (const name of ['IntersectionObserver', 'structuredClone', 'BroadcastChannel']) {
      Reflect.deleteProperty(window, name)
    }
  })
  for (const path of ['/', '/blog', '/terms']) {
    await page.goto(path)
    await expect(tooOld(page), path).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 }), path).toBeVisible()
  }
  for (const path of ['/closed-beta', '/auth']) {
    await page.goto(path)
    await expect(tooOld(page), path).toBeVisible()
  }
  // Signed out, the profile leads home where its script works: the sentence is on both.
  await page.goto('/profile')
  await expect(tooOld(page), '/profile').toBeVisible()
})
