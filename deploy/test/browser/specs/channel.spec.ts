import { expect, test, type Page } from './fixture.ts'

import { expectAccessible } from './axe.ts'
import { call } from './mac.ts'
import { joinWaitlist, signIn } from './people.ts'
import { newAddress } from './stack.ts'
import { pageOf } from './tickets.ts'

const ADMIN = 'admin@fledge.test'
const BETA = '1.2.0-beta.1'

/** Enables the beta for whoever follows its channel, or takes it back. */
async function offerBeta(admin: Page, isAvailable: boolean): Promise<void> {
  const { body } = await call(admin.request, 'GET', '/api/get-github-releases')
  const { releases } = body as { releases: { id: number; version: string }[] }
  const releaseId = releases.find(({ version }) => version === BETA)?.id
  const done = await call(admin.request, 'POST', '/api/toggle-release-availability', {
    releaseId,
    version: BETA,
    isAvailable,
  })
  expect(done.status).toBe(200)
}

/** Gives the person whose page is open a channel, by keyboard. */
async function give(admin: Page, channel: string): Promise<void> {
  const card = admin.getByRole('region', { name: 'Update channel' })
  await card.getByRole('button', { name: 'Change channel' }).press('Enter')
  const dialog = admin.getByRole('dialog', { name: 'Change update channel' })
  await dialog.getByLabel('Channel', { exact: true }).selectOption(channel)
  await dialog.getByLabel('Reason').fill('Helps us test')
  await expectAccessible(admin, 'giving a channel')
  await dialog.getByRole('button', { name: 'Change channel' }).press('Enter')
  await expect(dialog).toBeHidden()
  await expect(card.getByText(channel, { exact: true })).toBeVisible()
}

test('a person who is given the beta is offered the pre-release, and told so', async ({
  browser,
  page,
}) => {
  const email = newAddress('channel')
  await joinWaitlist(page, email)
  const admin = await pageOf(browser, ADMIN)
  const found = await call(admin.request, 'GET', `/api/get-waitlist-users?search=${email}`)
  const [entry] = (found.body as { data: { id: string }[] }).data
  const approval = { waitlistUserId: entry?.id, action: 'approve' }
  expect((await call(admin.request, 'POST', '/api/approve-waitlist-user', approval)).status).toBe(
    200,
  )
  const stable = page.getByRole('link', { name: /^Download for Mac \(v1\.[01]\.0\)$/ })
  const beta = page.getByRole('link', { name: `Download for Mac (v${BETA})` })
  const warning = page.getByText(/This is a pre-release/)
  await signIn(page, email)
  await expect(stable).toBeVisible()
  await admin.goto(`/admin?tab=users&person=${encodeURIComponent(email)}`)
  try {
    await offerBeta(admin, true)
    await give(admin, 'beta')
    await page.reload()
    await expect(beta).toBeVisible()
    await expect(warning).toBeVisible()
    await expectAccessible(page, 'a pre-release')
    const head = await page.request.head((await beta.getAttribute('href')) ?? '', {
      maxRedirects: 0,
    })
    expect(head.status()).toBe(302)

    await give(admin, 'stable')
    await page.reload()
    await expect(stable).toBeVisible()
    await expect(warning).toBeHidden()
  } finally {
    await offerBeta(admin, false)
  }
})
