import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

import { expect, type Page } from '@playwright/test'

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

interface AxeResult {
  violations: { id: string; nodes: { html: string }[] }[]
}

/** One line for each accessibility finding on a page as it is shown now; `[]` when there is none. */
export async function violations(page: Page): Promise<string[]> {
  // Injected through the debugger, so the page's own policy stays as it is.
  await page.evaluate(await readFile(axePath, 'utf8'))
  return page.evaluate(async () => {
    const axe = (globalThis as unknown as { axe: { run(): Promise<AxeResult> } }).axe
    const result = await axe.run()
    return result.violations.map(
      (violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(' | ')}`,
    )
  })
}

/**
 * Waits until nothing moves by itself: what is fading in has the colours of neither state. Spinners
 * go on, and what follows the scrolling stands still without it.
 */
async function stillness(page: Page): Promise<void> {
  const moving = () =>
    document.getAnimations().filter(({ effect, playState, timeline }) => {
      const timed = timeline === document.timeline && effect?.getComputedTiming().endTime !== Infinity
      return playState === 'running' && timed
    }).length
  await expect.poll(() => page.evaluate(moving)).toBe(0)
}

/** What is shown now has no accessibility finding: on a phone and a desktop, by day and by night. */
export async function expectAccessible(page: Page, what = ''): Promise<void> {
  const before = page.viewportSize()
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [360, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await stillness(page)
      expect(await violations(page), `${what} ${colorScheme}, ${width} px`).toEqual([])
    }
  }
  if (before) await page.setViewportSize(before)
}

/** By how many pixels a page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
}
