import { expect, test, type Browser, type Page } from '@playwright/test'

import { answer } from './api.ts'
import { accounts, entries, logged, staff } from './staff.ts'

/** How many rows there are, as many as a page has, and how many pages are loaded of them. */
const ROWS = 100_000
const PAGE = 100
const LOADS = 49

/** What a person does not notice: https://www.w3.org/TR/longtasks/ */
const LONG_TASK_MS = 50
/** A task in which rows are laid out for the first time: what takes longer than this is felt as a delay. */
const DELAY_MS = 100

interface Task {
  /** By the clock, and by what the processor worked for it: others may have had it in between. */
  wall: number
  cpu: number
}

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  dur?: number
  tdur?: number
  args?: { name?: string }
}

/** The tasks of the page's main thread while something is done, the longest first. */
async function tasks(browser: Browser, page: Page, doing: () => Promise<void>): Promise<Task[]> {
  await browser.startTracing(page, {
    categories: ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata'],
  })
  await doing()
  const trace = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[]
  }
  const mains = new Set(
    trace.traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}/${tid}`),
  )
  return trace.traceEvents
    .filter(({ name, pid, tid }) => name.endsWith('RunTask') && mains.has(`${pid}/${tid}`))
    .map(({ dur = 0, tdur = 0 }) => ({ wall: dur / 1000, cpu: tdur / 1000 }))
    .sort((a, b) => b.cpu - a.cpu)
}

/** Answers a list a page at a time, as the server does. */
async function serve(page: Page, path: string, rows: (count: number, from: number) => unknown[]) {
  await page.route(`**/api/${path}*`, (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0)
    const next = from + PAGE < ROWS ? String(from + PAGE) : null
    return route.fulfill({ json: { data: rows(PAGE, from), nextCursor: next } })
  })
}

/** Down to the end and up again, as with a wheel. */
async function scroll(page: Page): Promise<void> {
  await page.mouse.move(700, 450)
  for (const way of [1, -1]) {
    for (let turn = 0; turn < 40; turn += 1) await page.mouse.wheel(0, way * 1500)
  }
}

const worst = ([first]: Task[]) =>
  `${(first?.cpu ?? 0).toFixed(0)} ms (${(first?.wall ?? 0).toFixed(0)} ms by the clock)`

const lists = [
  {
    name: 'waitlist',
    path: '?tab=users&view=waitlist',
    route: 'get-waitlist-users',
    rows: entries,
    list: 'table',
  },
  {
    name: 'accounts',
    path: '?tab=users',
    route: 'get-users-with-roles',
    rows: accounts,
    list: 'table',
  },
  {
    name: 'audit log',
    path: '?tab=audit',
    route: 'get-audit-log',
    rows: logged,
    list: '[role="list"][aria-label="Audit log"]',
  },
] as const

for (const { name, path, route, rows, list } of lists) {
  test(name, async ({ browser, page }) => {
    test.setTimeout(300_000)
    await answer(page, 'admin@fledge.test', staff)
    await serve(page, route, rows)
    await page.goto(`/admin${path}`)
    const more = page.getByRole('button', { name: 'Load more' })
    await expect(more).toBeVisible()
    await page.waitForLoadState('networkidle')
    // Looked up once: to look through thousands of rows for a name takes the page longer than they do.
    const button = await more.elementHandle()
    const loads: Task[][] = []
    const load = () =>
      page.evaluate(
        ([button, selector]) =>
          new Promise<void>((done) => {
            const list = document.querySelector(selector)!
            const before = list.childElementCount
            const look = () => {
              // A click while the page is on its way is ignored.
              const ready = (button as HTMLButtonElement).getAttribute('aria-disabled') !== 'true'
              const drawn = list.childElementCount > before && ready
              requestAnimationFrame(drawn ? () => done() : look)
            }
            ;(button as HTMLButtonElement).click()
            look()
          }),
        [button, list] as const,
      )
    for (let n = 0; n < LOADS; n += 1) {
      if (n < 3 || n >= LOADS - 3) loads.push(await tasks(browser, page, load))
      else await load()
    }
    const scrolled = await tasks(browser, page, () => scroll(page))
    const longest = loads.map(([task]) => task!).sort((a, b) => a.cpu - b.cpu)
    console.log(
      `${name}: ${LOADS * PAGE + PAGE} of ${ROWS} rows. Longest task: page 2 ${worst(loads[0]!)}, ` +
        `page ${LOADS + 1} ${worst(loads.at(-1)!)}, scrolling ${worst(scrolled)}`,
    )
    expect
      .soft(longest[Math.floor(longest.length / 2)]!.cpu, 'loading a page')
      .toBeLessThanOrEqual(LONG_TASK_MS)
    expect.soft(scrolled[0]!.cpu, 'scrolling').toBeLessThanOrEqual(DELAY_MS)
  })
}
