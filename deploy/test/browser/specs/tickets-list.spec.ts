import { readFile } from 'node:fs/promises'

import { expect, test, type Page } from './fixture.ts'

import { expectAccessible, overflow, violations } from './axe.ts'
import { newAddress } from './stack.ts'
import { cardOf, file, openDetails, openTickets, pageOf } from './tickets.ts'

test.setTimeout(180_000)

/** Three tickets of one customer, found by one word that nothing else has. */
async function threeTickets(customer: Page, word: string): Promise<[string, string, string]> {
  return [
    await file(customer, `One ${word}`),
    await file(customer, `Two ${word}`, '=1+1'),
    await file(customer, `Three ${word}`),
  ]
}

test('the list is filtered by its address, walked by key, changed at once and exported', async ({
  browser,
}) => {
  const email = newAddress('three')
  const word = email.split('@')[0] ?? ''
  const customer = await pageOf(browser, email)
  const [one, two, three] = await threeTickets(customer, word)
  const admin = await pageOf(browser, 'admin@fledge.test')

  await test.step('typing asks the server, and the address follows', async () => {
    await admin.goto('/admin?tab=tickets')
    await admin.getByPlaceholder('Search tickets...').fill(word)
    await expect(admin.getByText('3 tickets', { exact: true })).toBeVisible()
    await expect(admin).toHaveURL(new RegExp(`search=${word}`))
    // Stale rows are pale until the new ones have loaded.
    await expect.poll(() => violations(admin)).toEqual([])
  })

  await test.step('keys walk, open and close', async () => {
    await admin.getByRole('heading', { name: 'Admin Dashboard' }).click()
    await admin.keyboard.press('j')
    await expect(cardOf(admin, three)).toBeFocused()
    await admin.keyboard.press('j')
    await admin.keyboard.press('Enter')
    await expect(admin.getByRole('dialog', { name: two })).toBeVisible()
    await admin.keyboard.press('Escape')
    await expect(admin.getByRole('dialog')).toBeHidden()
    await expect(cardOf(admin, two)).toBeFocused()
    await admin.keyboard.press('k')
    await expect(cardOf(admin, three)).toBeFocused()
    await admin.keyboard.press('/')
    await expect(admin.getByPlaceholder('Search tickets...')).toBeFocused()
  })

  await test.step('two at once, with a result that counts them', async () => {
    await admin.getByLabel(`Select ${one}`).check()
    await admin.getByLabel(`Select ${two}`).check()
    await admin.getByRole('button', { name: 'Set in progress' }).click()
    const result = admin.getByRole('status', { name: 'Result' })
    await expect(result).toContainText('2 of 2 tickets set to in progress')
    await expect(result.getByRole('listitem')).toHaveCount(0)
    await expect(cardOf(admin, one).getByText('in progress')).toBeVisible()
  })

  await test.step('a filter is a step that going back undoes', async () => {
    await admin.getByLabel('Status').selectOption('in_progress')
    await expect(cardOf(admin, three)).toBeHidden()
    await expect(admin.getByText('2 tickets', { exact: true })).toBeVisible()
    await admin.goBack()
    await expect(cardOf(admin, three)).toBeVisible()
    await expect(admin.getByLabel('Status')).toHaveValue('')
    await admin.goForward()
    await expect(admin.getByLabel('Status')).toHaveValue('in_progress')
    await admin.reload()
    await expect(admin.getByText('2 tickets', { exact: true })).toBeVisible()
  })

  await test.step('the file has what the filter shows, and no formula', async () => {
    const started = admin.waitForEvent('download')
    await admin.getByRole('button', { name: 'Export CSV' }).click()
    const download = await started
    expect(download.suggestedFilename()).toMatch(/\.csv$/)
    const text = await readFile(await download.path(), 'utf8')
    expect(text.startsWith('\ufeff')).toBe(true)
    expect(text).toContain(one)
    expect(text).toContain(two)
    expect(text).not.toContain(three)
    expect(text).toContain("'=1+1")
  })

  await test.step('nothing found says what to do', async () => {
    await admin.getByLabel('Priority').selectOption('urgent')
    await expect(admin.getByRole('heading', { name: 'No tickets found' })).toBeVisible()
    await expect(admin.getByText('No support tickets match your current filters.')).toBeVisible()
    await expectAccessible(admin, 'no tickets')
    await admin.getByRole('button', { name: 'Clear filters' }).click()
    await expect(admin).toHaveURL(/\/admin(\?tab=tickets)?$/)
  })
})

test('slow and failing services say so, and nothing typed is lost', async ({ browser }) => {
  const email = newAddress('patient')
  const customer = await pageOf(browser, email)
  const number = await file(customer, 'Is anybody there?')
  const admin = await pageOf(browser, 'admin@fledge.test')
  const failing = async (path: string, status: number, body: unknown) =>
    admin.route(`**/api/${path}*`, (route) => route.fulfill({ status, json: body }))

  await test.step('a list on its way', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await admin.route('**/api/get-support-tickets*', async (route) => {
      await held
      await route.continue()
    })
    await openTickets(admin, number)
    await expect(admin.getByText('Loading tickets...')).toBeVisible()
    await expectAccessible(admin, 'tickets on their way')
    release()
    await expect(cardOf(admin, number)).toBeVisible()
    await admin.unrouteAll()
  })

  await test.step('a list that fails', async () => {
    await failing('get-support-tickets', 403, { error: 'Only admins may do this.' })
    await admin.getByRole('button', { name: 'Refresh' }).click()
    await expect(
      admin.getByRole('alert').filter({ hasText: 'Only admins may do this.' }),
    ).toBeVisible()
    await expectAccessible(admin, 'tickets that fail')
    await admin.unrouteAll()
    await failing('get-support-tickets', 400, {})
    await admin.getByRole('button', { name: 'Refresh' }).click()
    await expect(
      admin.getByRole('alert').filter({ hasText: 'Failed to fetch tickets' }),
    ).toBeVisible()
    await admin.unrouteAll()
    await admin.getByRole('button', { name: 'Refresh' }).click()
    await expect(cardOf(admin, number)).toBeVisible()
  })

  await test.step('an update that fails', async () => {
    const dialog = await openDetails(admin, number)
    await dialog.getByLabel('Admin Response').fill('We are.')
    await failing('update-support-ticket', 503, { error: 'Please try again in a moment.' })
    await dialog.getByRole('button', { name: 'Mark In Progress' }).click()
    await expect(dialog.getByText('Please try again in a moment.')).toBeVisible()
    await admin.unrouteAll()
    await failing('update-support-ticket', 502, {})
    await dialog.getByRole('button', { name: 'Mark In Progress' }).click()
    await expect(dialog.getByText('Failed to update ticket')).toBeVisible()
    await expect(dialog.getByLabel('Admin Response')).toHaveValue('We are.')
    await admin.unrouteAll()
    await dialog.getByRole('button', { name: 'Mark In Progress' }).click()
    await expect(dialog).toBeHidden()
  })

  await test.step('a message that is filed once, however often it is sent', async () => {
    await customer.goto('/profile')
    await customer.getByRole('button', { name: 'Contact support' }).click()
    const form = customer.getByRole('dialog', { name: 'Support' })
    await form.getByLabel('What is it about?').selectOption('other')
    await form.getByLabel('Message').fill('Once only.')
    // The server executes the request, but its response is lost.
    await customer.route('**/api/create-support-ticket', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await form.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(form.getByRole('alert')).toHaveText('Network error. Please try again.')
    await customer.unrouteAll()
    await form.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(form.getByRole('heading', { name: 'We have your message' })).toBeVisible()
    await form.getByRole('button', { name: 'Done' }).click()
    const own = customer.getByRole('list', { name: 'My tickets' })
    await expect(own.getByText('Once only.').first()).toBeVisible()
    await expect(own.locator('> li')).toHaveCount(2)
  })
})

test('the tickets fit a phone', async ({ browser }) => {
  const customer = await pageOf(browser, newAddress('a-rather-long-name-that-needs-its-room'))
  const number = await file(customer, 'Donaudampfschifffahrtsgesellschaftskapitän '.repeat(20))
  const admin = await pageOf(browser, 'admin@fledge.test')
  await admin.setViewportSize({ width: 360, height: 740 })
  await openTickets(admin, number)
  await expect(cardOf(admin, number)).toBeVisible()
  expect(await overflow(admin)).toBe(0)
  await admin.getByLabel(`Select ${number}`).check()
  expect(await overflow(admin)).toBe(0)
  const dialog = await openDetails(admin, number)
  const box = await dialog.boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360)
})
