import { expect, test } from './fixture.ts'

import { expectAccessible } from './axe.ts'
import { call } from './mac.ts'
import { joinWaitlist, signIn } from './people.ts'
import { newAddress } from './stack.ts'
import { pageOf } from './tickets.ts'

test.use({
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  userAgent:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
})

test('a phone says where to open the download, and sends the link there', async ({
  browser,
  context,
  page,
}) => {
  const email = newAddress('phone')
  await joinWaitlist(page, email)
  const admin = await pageOf(browser, 'admin@fledge.test')
  const found = await call(admin.request, 'GET', `/api/get-waitlist-users?search=${email}`)
  const [entry] = (found.body as { data: { id: string }[] }).data
  const approval = { waitlistUserId: entry?.id, action: 'approve' }
  const approved = await call(admin.request, 'POST', '/api/approve-waitlist-user', approval)
  expect(approved.status).toBe(200)

  const address = new URL('/closed-beta', page.url()).href
  await context.addInitScript(() => {
    const share = (data: ShareData) => {
      document.documentElement.dataset.shared = data.url
      return Promise.resolve()
    }
    Object.assign(navigator, { share })
  })
  await signIn(page, email)
  await expect(page.getByText('Open this page there to download it')).toContainText(address)
  await expect(page.getByRole('link', { name: /^Download for Mac/ })).toBeVisible()
  await expectAccessible(page, 'the download on a phone')
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(wider).toBeLessThanOrEqual(0)

  await page.getByRole('button', { name: 'Share the link' }).tap()
  await expect(page.locator('html')).toHaveAttribute('data-shared', address)
})
