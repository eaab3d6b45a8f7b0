import { expect, test, type Page } from './fixture.ts'

import { expectAccessible } from './axe.ts'
import { chooseAccount, joinWaitlist, signIn } from './people.ts'
import { mailFor, newAddress } from './stack.ts'

test('an invitation is used with the address that Apple hides @apple', async ({ browser }) => {
  const email = newAddress('invited')
  const relay = email.replace('@fledge.test', '@privaterelay.appleid.com')
  const visitor = await (await browser.newContext()).newPage()
  let link = ''

  await test.step('the address is approved, and its email has a link', async () => {
    await joinWaitlist(visitor, email)
    await approve(await (await browser.newContext()).newPage(), email)
    await expect.poll(async () => (await mailFor(email)).length, { timeout: 30_000 }).toBe(1)
    const [received] = await mailFor(email)
    link = /http\S+\/closed-beta#claim=[\w-]{43}/.exec(received?.text ?? '')?.[0] ?? ''
    expect(link, received?.text).not.toBe('')
  })

  await test.step('the link outlives the sign-in with another address', async () => {
    await visitor.goto(link)
    await expect(visitor.getByText('Your invitation is kept until then')).toBeVisible()
    expect(visitor.url()).not.toContain('claim')
    await expectAccessible(visitor, 'an invitation that is kept')
    await visitor.getByRole('main').getByRole('button', { name: 'Sign In' }).click()
    await visitor.getByRole('button', { name: 'Continue with Apple' }).click()
    await chooseAccount(visitor, relay)
    await visitor.waitForURL('**/closed-beta')
  })

  await test.step('the page asks, and then gives access', async () => {
    await expect(visitor.getByRole('heading', { name: 'Use your invitation?' })).toBeVisible()
    await expect(visitor.getByRole('main')).toContainText(email)
    await expect(visitor.getByRole('main')).toContainText(relay)
    await expectAccessible(visitor, 'the question whether to use it')
    await visitor.getByRole('button', { name: 'Use it with this account' }).press('Enter')
    await expect(visitor.getByRole('heading', { name: "You're an early adopter!" })).toBeVisible()
    await visitor.reload()
    await expect(visitor.getByRole('link', { name: /^Download for Mac/ })).toBeVisible()
    await expectAccessible(visitor, 'the downloads of an invitation')
  })

  await test.step('the invited address is told, and keeps its own access', async () => {
    await expect.poll(async () => (await mailFor(email)).length, { timeout: 30_000 }).toBe(2)
    expect((await mailFor(email)).some(({ text }) => text.includes(relay))).toBe(true)
    const owner = await (await browser.newContext()).newPage()
    await signIn(owner, email)
    await expect(owner.getByRole('heading', { name: "You're an early adopter!" })).toBeVisible()
  })

  await test.step('a third account reads that the invitation is in use', async () => {
    const third = await (await browser.newContext()).newPage()
    await signIn(third, newAddress('third'))
    await expect(third.getByText("You're not on the waitlist yet.")).toBeVisible()
    await third.goto(link)
    await expect(third.getByText('Another account already uses this invitation.')).toBeVisible()
    await expect(third.getByRole('button', { name: 'Join Waitlist' })).toBeVisible()
    await expectAccessible(third, 'an invitation in use')
  })
})

/** Approves the entry of an address as an admin. */
async function approve(admin: Page, email: string): Promise<void> {
  await signIn(admin, 'admin@fledge.test')
  await admin.goto('/admin')
  await admin.getByRole('tab', { name: 'User Management' }).click()
  await admin.getByRole('tab', { name: 'Waitlist' }).click()
  await admin.getByRole('searchbox', { name: 'Search the waitlist' }).fill(email)
  await admin
    .getByRole('row')
    .filter({ hasText: email })
    .getByRole('button', { name: /approve/i })
    .click()
  await expect(admin.getByText('Waitlist user approved successfully')).toBeVisible()
}
