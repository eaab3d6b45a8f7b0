import { readFile } from 'node:fs/promises'

import { expect, test } from './fixture.ts'

import { expectAccessible, overflow } from './axe.ts'
import { joinWaitlist, signIn } from './people.ts'
import { mailFor, newAddress } from './stack.ts'
import { pageOf } from './tickets.ts'

test('a changed role takes effect', async ({ browser, page }) => {
  const email = newAddress('promoted')
  await signIn(page, email)
  await page.goto('/admin')
  await expect(page.getByText('Access Denied')).toBeVisible()

  const admin = await pageOf(browser, 'admin@fledge.test')
  await admin.goto('/admin?tab=users')
  await admin.getByLabel('Search users').fill(email)
  const row = admin.getByRole('row').filter({ hasText: email })
  await row.getByRole('button', { name: `Change roles of ${email}` }).click()
  const dialog = admin.getByRole('dialog', { name: 'Change roles' })
  await expectAccessible(admin)
  await dialog.getByLabel('Admin').check()
  await dialog.getByLabel('Reason').fill('a test')
  await dialog.getByRole('button', { name: 'Save roles' }).click()
  await expect(dialog).toBeHidden()
  await expect(row.getByText('Admin', { exact: true })).toBeVisible()
  await expectAccessible(admin)

  await expect(async () => {
    await page.reload()
    await expect(page.getByRole('heading', { name: 'Admin Dashboard' })).toBeVisible()
  }).toPass({ timeout: 30_000 })

  await row.getByRole('button', { name: `Change roles of ${email}` }).click()
  await dialog.getByLabel('Admin').uncheck()
  await dialog.getByLabel('Reason').fill('a test')
  await dialog.getByRole('button', { name: 'Save roles' }).click()
  await expect(row.getByText('Admin', { exact: true })).toBeHidden()
})

test('a disabled person is out, and every admin sees so', async ({ browser, page }) => {
  const email = newAddress('disabled')
  await signIn(page, email)
  const [admin, colleague] = [
    await pageOf(browser, 'admin@fledge.test'),
    await pageOf(browser, 'admin@fledge.test'),
  ]
  await admin.goto('/admin?tab=users')
  await admin.getByLabel('Search users').fill(email)
  await admin.getByRole('link', { name: email }).click()
  await expect(admin.getByRole('heading', { name: email })).toBeFocused()
  await expect(admin.getByRole('list', { name: 'Devices' }).getByRole('listitem')).toHaveCount(1)
  await expectAccessible(admin, 'a person')
  await colleague.goto(admin.url())

  await admin.getByRole('button', { name: 'Disable' }).press('Enter')
  const dialog = admin.getByRole('dialog', { name: 'Disable this account?' })
  await expectAccessible(admin, 'a person to disable')
  await dialog.getByLabel('Reason').fill('a test')
  await dialog.getByRole('button', { name: 'Disable' }).press('Enter')
  await expect(admin.getByText('Account disabled')).toBeVisible()
  await expect(async () => {
    await page.goto('/profile')
    await expect(page.getByRole('button', { name: 'Account menu' })).toBeHidden({ timeout: 1000 })
  }).toPass({ timeout: 5_000 })

  await colleague.reload()
  await expect(colleague.getByRole('region', { name: 'Account', exact: true })).toContainText(
    'By staff',
  )
  await expect(colleague.getByRole('list', { name: 'What staff did' })).toContainText('a test')
  await admin.goBack()
  await expect(admin.getByRole('row').filter({ hasText: email })).toContainText('Disabled')
})

test('three are approved at once, and each gets one email', async ({ browser, page }) => {
  const first = newAddress('crowd')
  const word = first.split('@')[0] ?? ''
  const emails = [first, `${word}-b@fledge.test`, `${word}-c@fledge.test`]
  for (const email of emails) await joinWaitlist(page, email)

  const admin = await pageOf(browser, 'admin@fledge.test')
  await admin.goto(`/admin?tab=users&view=waitlist&search=${word}`)
  await expect(admin.getByText('3 entries', { exact: true })).toBeVisible()
  await admin.getByLabel('Select all pending entries shown').check()
  await admin.getByRole('button', { name: 'Approve selected' }).click()
  await expectAccessible(admin, 'many to approve')
  await admin.getByRole('alertdialog').getByRole('button', { name: 'Approve' }).click()
  const result = admin.getByRole('status', { name: 'Result' })
  await expect(result).toContainText('3 of 3 people approved')
  await expectAccessible(admin)
  for (const email of emails) {
    await expect.poll(async () => (await mailFor(email)).length, { timeout: 30_000 }).toBe(1)
  }
})

test('a file is imported with a report, and exported again', async ({ browser }) => {
  const email = newAddress('imported')
  const word = email.split('@')[0] ?? ''
  const admin = await pageOf(browser, 'admin@fledge.test')
  await admin.goto('/admin?tab=users&view=waitlist')
  await admin.getByRole('button', { name: 'Import CSV' }).click()
  const dialog = admin.getByRole('dialog', { name: 'Import a CSV file' })
  await dialog.getByLabel('CSV file').setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`email\r\n${email}\r\nnobody\r\n`),
  })
  await expect(dialog.getByRole('region', { name: 'First lines' })).toContainText(email)
  await expect(dialog.getByText(/^1 would be added, 0 are known.*, 1 would fail\.$/)).toBeVisible()
  await expectAccessible(admin, 'a file before its import')
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  const counts = dialog.getByRole('group', { name: 'Result' })
  await expect(counts).toHaveText('Added1Known0Failed1')
  await expect(dialog.getByRole('row').filter({ hasText: 'nobody' })).toContainText('3')
  await expectAccessible(admin)
  await dialog.getByRole('button', { name: 'Import again' }).click()
  await expect(counts).toHaveText('Added0Known1Failed1')
  await admin.setViewportSize({ width: 360, height: 740 })
  expect(await overflow(admin)).toBe(0)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await admin.getByLabel('Search the waitlist').fill(word)
  await expect(admin).toHaveURL(new RegExp(`search=${word}`))
  expect(await overflow(admin)).toBe(0)

  await admin.getByLabel('Search the waitlist').fill(`${word}-nobody`)
  await expect(admin.getByText(/^No waitlist users found/)).toBeVisible()
  await expectAccessible(admin, 'an empty waitlist')
  await admin.getByLabel('Search the waitlist').fill(word)
  await expect(admin.getByRole('row').filter({ hasText: email })).toBeVisible()

  const started = admin.waitForEvent('download')
  await admin.getByRole('button', { name: 'Export CSV' }).click()
  const text = await readFile(await (await started).path(), 'utf8')
  expect(text.startsWith('\ufeffemail,status,source,created_at,consent,consented_at,')).toBe(true)
  expect(text.trim().split('\r\n')).toHaveLength(2)
  expect(text).toContain(`${email},pending,import,`)
})

test('an admin finds the tools in the menu, and is told who is listed already', async ({
  browser,
}) => {
  const email = newAddress('listed')
  const admin = await pageOf(browser, 'admin@fledge.test')
  await admin.goto('/profile')
  await admin.getByRole('button', { name: 'Account menu' }).click()
  await admin.getByRole('menuitem', { name: 'Admin' }).click()
  await expect(admin.getByRole('heading', { name: 'Admin Dashboard' })).toBeVisible()

  await admin.goto('/admin?tab=users&view=waitlist')
  const add = async () => {
    await admin.getByLabel('Email to add').fill(email)
    await admin.getByLabel('Email to add').press('Enter')
  }
  await add()
  await expect(admin.getByText('User added to waitlist successfully')).toBeVisible()
  await add()
  await expect(admin.getByText('Already on the waitlist', { exact: true })).toBeVisible()
  await expect(admin.getByText('This address is pending.')).toBeVisible()
})
