import { expect, test } from './fixture.ts'

import { expectAccessible } from './axe.ts'
import { mailFor, newAddress } from './stack.ts'
import { cardOf, openDetails, openTickets, pageOf } from './tickets.ts'

test.setTimeout(180_000)

test('a customer asks, an admin answers, the customer reads it and replies', async ({
  browser,
}) => {
  const email = newAddress('customer')
  const customer = await pageOf(browser, email)
  const admin = await pageOf(browser, 'admin@fledge.test')
  let number = ''

  await test.step('the customer files a ticket', async () => {
    await customer.goto('/profile')
    await expect(customer.getByText('You have not contacted us yet.')).toBeVisible()
    await customer.getByRole('button', { name: 'Support', exact: true }).click()
    const form = customer.getByRole('dialog', { name: 'Support' })
    await form.getByLabel('What is it about?').selectOption('technical_support')
    await form.getByLabel('Subject (optional)').fill('The export stops')
    await form.getByLabel('Message').fill('It stops at 60 %.\nAgain and again.')
    await expectAccessible(customer)
    await form.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(form.getByRole('heading', { name: 'We have your message' })).toBeFocused()
    number = (await form.getByText(/^TKT-\d{6,}$/).textContent()) ?? ''
    await form.getByRole('button', { name: 'Done' }).click()
    await expect(customer.getByText(number)).toBeVisible()
  })

  await test.step('the admin answers', async () => {
    await openTickets(admin, number)
    const card = cardOf(admin, number)
    await expect(card).toContainText(email)
    await expect(card).toContainText('Technical support')
    const dialog = await openDetails(admin, number)
    await expect(dialog).toContainText('It stops at 60 %.')
    await dialog.getByLabel('Admin Response').fill('Version 1.5 fixes it.')
    await expectAccessible(admin)
    await dialog.getByRole('button', { name: '✓ Mark Resolved' }).click()
    await expect(admin.getByText('Ticket updated successfully')).toBeVisible()
    await expect(dialog).toBeHidden()
    await expect(card.getByText('resolved')).toBeVisible()
  })

  await test.step('the answer comes by mail and stands in the thread', async () => {
    await expect
      .poll(async () => (await mailFor(email)).map(({ text }) => text).join('\n'), {
        timeout: 30_000,
      })
      .toContain('Version 1.5 fixes it.')
    await customer.reload()
    await customer.getByText(number).click()
    const thread = customer.getByRole('list', {
      name: `Conversation about ${number}`,
    })
    await expect(thread.getByRole('listitem').last()).toContainText('Version 1.5 fixes it.')
    await expect(customer.getByText('A reply reopens the ticket.')).toBeVisible()
    await expectAccessible(customer)
  })

  await test.step('the reply opens the ticket again', async () => {
    await customer.getByLabel('Your reply').fill('It still stops.')
    await customer.getByRole('button', { name: 'Send reply' }).click()
    await expect(customer.getByText('Reply sent')).toBeVisible()
    await expect(customer.getByText('It still stops.')).toBeVisible()
    await admin.getByRole('button', { name: 'Refresh' }).click()
    await expect(cardOf(admin, number).getByText('Open', { exact: true })).toBeVisible()
    await expect(cardOf(admin, number)).toContainText('Waiting for us')
    const dialog = await openDetails(admin, number)
    await expect(dialog.getByRole('list', { name: 'Conversation' })).toContainText(
      'It still stops.',
    )
    await dialog.getByText(/^History \(/).click()
    await expect(dialog.getByRole('list', { name: 'History' })).toContainText(
      'set the status from resolved to open',
    )
  })

  await test.step('an answer alone leaves the status, and nobody waits any more', async () => {
    const dialog = admin.getByRole('dialog', { name: number })
    await dialog.getByLabel('Assignee').selectOption('Me')
    await expect(dialog.getByRole('list', { name: 'History' })).toContainText('changed assignee')
    await dialog.getByLabel('Admin Response').fill('Which Mac is it?')
    await dialog.getByRole('button', { name: 'Send Response' }).click()
    await expect(dialog).toBeHidden()
    const card = cardOf(admin, number)
    await expect(card).toContainText('Assigned to admin@fledge.test')
    await expect(card).not.toContainText('Waiting for us')
    await expect(card.getByText('Open', { exact: true })).toBeVisible()
  })
})

test('two admins at once: the second sees what changed and loses nothing', async ({ browser }) => {
  const email = newAddress('contested')
  const customer = await pageOf(browser, email)
  const [first, second] = [
    await pageOf(browser, 'admin@fledge.test'),
    await pageOf(browser, 'admin@fledge.test'),
  ]
  await customer.goto('/profile')
  await customer.getByRole('button', { name: 'Contact support' }).click()
  const form = customer.getByRole('dialog', { name: 'Support' })
  await form.getByLabel('What is it about?').selectOption('bug')
  await form.getByLabel('Message').fill('Who answers first?')
  await form.getByRole('button', { name: 'Send', exact: true }).click()
  const number = (await form.getByText(/^TKT-\d{6,}$/).textContent()) ?? ''

  await openTickets(first, number)
  await openTickets(second, number)
  const mine = await openDetails(first, number)
  const theirs = await openDetails(second, number)
  await mine.getByLabel('Admin Response').fill('The answer of the first.')
  await theirs.getByLabel('Admin Response').fill('The answer of the second.')
  await theirs.getByRole('button', { name: 'Mark In Progress' }).click()
  await expect(theirs).toBeHidden()

  await mine.getByRole('button', { name: '✓ Mark Resolved' }).click()
  const bar = mine.getByRole('alert')
  await expect(bar).toContainText('This ticket has changed: status open → in progress')
  await expect(mine.getByLabel('Admin Response')).toHaveValue('The answer of the first.')
  await expectAccessible(first)

  await bar.getByRole('button', { name: 'Refresh' }).click()
  await expect(bar).toBeHidden()
  const thread = mine.getByRole('list', { name: 'Conversation' })
  await expect(thread).toContainText('The answer of the second.')
  await expect(mine.getByLabel('Admin Response')).toHaveValue('The answer of the first.')
  await mine.getByRole('button', { name: '✓ Mark Resolved' }).click()
  await expect(mine).toBeHidden()

  await customer.reload()
  await customer.getByText(number).click()
  const answers = customer.getByRole('list', {
    name: `Conversation about ${number}`,
  })
  await expect(answers.getByRole('listitem')).toHaveCount(3)
  await expect(answers).toContainText('The answer of the second.')
  await expect(answers).toContainText('The answer of the first.')
})
