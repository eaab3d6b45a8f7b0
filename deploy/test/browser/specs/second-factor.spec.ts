import { createHmac } from 'node:crypto'

import { expect, test, type Page } from './fixture.ts'

import { expectAccessible, overflow } from './axe.ts'
import { call } from './mac.ts'
import { mailFor, newAddress } from './stack.ts'
import { pageOf } from './tickets.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** What an authenticator app shows (RFC 6238), now or so many times 30 seconds later. */
function appCode(secret: string, later = 0): string {
  const bits = [...secret].map((c) => ALPHABET.indexOf(c).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later))
  const mac = createHmac('sha1', key).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** The installation of the tests does not require it: the first answer is the one of an installation that does. */
async function requireOnce(page: Page): Promise<void> {
  await page.route(
    '**/api/get-support-tickets*',
    (answer) =>
      answer.fulfill({
        status: 403,
        json: { error: 'A code is needed.', code: 'second_factor_required', requestId: '' },
      }),
    { times: 1 },
  )
}

/** Opens the staff's page in a browser that has just signed in, and enters a code there. */
async function enter(page: Page, code: string): Promise<void> {
  await requireOnce(page)
  await page.goto('/admin?tab=support')
  const dialog = page.getByRole('dialog', { name: 'Enter your code' })
  await dialog.getByLabel(/Code of your authenticator app/).fill(code)
  await expectAccessible(page, 'a code is asked for')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText('A code is needed.')).toBeHidden()
  const { body } = await call(page.request, 'GET', '/api/auth/second-factor')
  expect(body).toMatchObject({ verified: true })
}

test('a member of staff sets up a second factor, and shows it or a recovery code', async ({
  browser,
}) => {
  const email = newAddress('second-factor')
  const page = await pageOf(browser, email)
  const admin = await pageOf(browser, 'admin@fledge.test')
  const found = await call(admin.request, 'GET', `/api/get-users-with-roles?search=${email}`)
  const [user] = (found.body as { data: { id: string }[] }).data
  await call(admin.request, 'POST', '/api/set-user-roles', {
    userId: user?.id,
    roles: ['moderator'],
    reason: 'Answers tickets',
  })

  await page.goto('/profile#second-factor')
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
  const setUp = page.getByRole('dialog', { name: 'Set up an authenticator app' })
  const image = setUp.getByRole('img', { name: /QR code/ })
  await expect.poll(() => image.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(256)
  await expectAccessible(page, 'an app is set up')
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await overflow(page)).toBe(0)
  const secret = (await setUp.locator('strong').textContent()) ?? ''
  await setUp.getByLabel('Code that the app shows now').fill(appCode(secret))
  await setUp.getByRole('button', { name: 'Add the app' }).click()

  const shown = page.getByRole('dialog', { name: 'Your recovery codes' })
  await expect(shown.getByRole('listitem')).toHaveCount(12)
  const [recovery = ''] = await shown.getByRole('listitem').allTextContents()
  expect(await overflow(page)).toBe(0)
  await shown.getByRole('button', { name: 'I have saved them' }).click()
  await expect(page.getByText('You have recovery codes')).toBeVisible()

  // The one that added the app is used up; the next one is good already.
  await enter(await pageOf(browser, email), appCode(secret, 1))
  await enter(await pageOf(browser, email), recovery)
  await expect
    .poll(async () => (await mailFor(email)).map(({ subject }) => subject), { timeout: 30_000 })
    .toContain('Your Fledge account has a second factor')
})
