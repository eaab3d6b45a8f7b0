import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

import { expect, type Page } from '@playwright/test'

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

interface AxeResult {
  violations: { id: string; nodes: { html: string }[] }[]
}

/**
 * Waits until all finite animations have ended: during a fade, colours are those of neither state. Spinners and
 * scroll-driven animations are ignored.
 */
async function stillness(page: Page): Promise<void> {
  const moving = async () => {
    // What a new size or colour scheme sets in motion begins with the next frame.
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
    return document.getAnimations().filter(({ effect, playState, timeline }) => {
      const timed =
        timeline === document.timeline && effect?.getComputedTiming().endTime !== Infinity
      return playState === 'running' && timed
    }).length
  }
  await expect.poll(() => page.evaluate(moving)).toBe(0)
}

/**
 * One line for each accessibility finding on a page as it is shown now; `[]` when there is none.
 * `rules` are the only ones asked, where there are some.
 */
export async function violations(page: Page, ...rules: string[]): Promise<string[]> {
  await stillness(page)
  // Injected through the debugger, so the page's own policy stays as it is.
  const there = await page.evaluate(() => 'axe' in globalThis)
  if (!there) await page.evaluate(await readFile(axePath, 'utf8'))
  return page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } }
    const result = await axe.run({
      resultTypes: ['violations'],
      ...(rules.length > 0 && { runOnly: rules }),
    })
    return result.violations.map(
      (violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(' | ')}`,
    )
  }, rules)
}

/**
 * What is shown now has no accessibility finding, on a phone and on a desktop, by day and by night.
 * Of all rules only that of contrast looks at colours, so the night asks for it alone. Nothing moves
 * meanwhile: what is far below the screen would begin to change its colours when it is looked at.
 */
export async function expectAccessible(page: Page, what = ''): Promise<void> {
  const before = page.viewportSize()
  const still = await page.evaluate(() => matchMedia('(prefers-reduced-motion: reduce)').matches)
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    for (const [colorScheme, ...rules] of [['light'], ['dark', 'color-contrast']] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const found = await violations(page, ...rules)
      expect(found, `${what} ${colorScheme}, ${width} px`).toEqual([])
    }
    expect(await overflow(page), `${what} horizontal overflow at ${width} px`).toBe(0)
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: still ? 'reduce' : null })
  if (before) await page.setViewportSize(before)
}

/** The horizontal overflow of a page in pixels. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
}
