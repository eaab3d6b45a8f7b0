import { expect, test, type Page } from './fixture.ts'
import { newAddress } from './stack.ts'

/** How many of the audience have the page open; the others' forms are played by `guest`. */
const PAGES = 5
const AUDIENCE = 80

/** Asks to join over several connections until it has been refused, and from then on until it is told to stop. */
async function crowd(page: Page, address: string) {
  await page.evaluate(async (address) => {
    const body = JSON.stringify({ email: address, source: 'hero_section' })
    const ask = () =>
      fetch('/api/add-waitlist-user', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      })
    const room = window as unknown as { full?: boolean }
    room.full = true
    await new Promise<void>((refused) => {
      const goOn = async () => {
        while (room.full) if ((await ask()).status === 429) refused()
      }
      for (let connection = 0; connection < 6; connection++) void goOn()
    })
  }, address)
}

const leave = (page: Page) =>
  page.evaluate(() => ((window as unknown as { full?: boolean }).full = false))

/** A person whose form waits as use-joining.ts does. Returns the last status. */
function guest(page: Page, address: string): Promise<number> {
  return page.evaluate(async (address) => {
    for (let waited = 0; ;) {
      const answer = await fetch('/api/add-waitlist-user', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: address, source: 'hero_section' }),
      })
      const asked = Number(answer.headers.get('Retry-After'))
      if (answer.status !== 429 || !asked) return answer.status
      const seconds = Math.max(asked, waited) * (1 + Math.random() / 2)
      waited += seconds
      if (waited > 60) return answer.status
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    }
  }, address)
}

test('an audience behind one address joins without typing again @nightly', async ({
  browser,
  page,
}) => {
  const people = await Promise.all(
    Array.from({ length: PAGES }, async () => {
      const context = await browser.newContext()
      const form = await context.newPage()
      const answers: { status: number; retryAfter?: string }[] = []
      form.on('response', (response) => {
        if (!response.url().endsWith('/api/add-waitlist-user')) return
        answers.push({ status: response.status(), retryAfter: response.headers()['retry-after'] })
      })
      await form.goto('/')
      const field = form.getByRole('textbox', { name: 'Email address' }).first()
      await field.fill(newAddress('audience'))
      return { context, form, field, answers }
    }),
  )
  await page.goto('/')
  await crowd(page, newAddress('crowd'))
  const started = Date.now()
  const waiting = people.map(({ form }) =>
    form.getByRole('button', { name: 'One moment…' }).waitFor(),
  )
  await Promise.all(people.map(({ field }) => field.press('Enter')))
  await Promise.any(waiting)
  await leave(page)
  const guests = await Promise.all(
    Array.from({ length: AUDIENCE - PAGES }, () => guest(page, newAddress('guest'))),
  )
  expect(new Set(guests)).toEqual(new Set([200]))
  let refused = 0
  for (const { form, answers, context } of people) {
    await expect(form.getByRole('status').filter({ hasText: /waitlist/i })).toBeVisible({
      timeout: 60_000,
    })
    for (const { status, retryAfter } of answers.slice(0, -1)) {
      expect(status).toBe(429)
      expect(Number(retryAfter)).toBeGreaterThan(0)
    }
    expect(answers.at(-1)?.status).toBe(200)
    refused += answers.length - 1
    await context.close()
  }
  expect(refused, 'forms that had to wait').toBeGreaterThan(0)
  expect(Date.now() - started).toBeLessThan(120_000)
})
