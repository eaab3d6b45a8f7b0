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

/**
 * Texts that are cut off, and pairs of texts that overlap, of the page or of the dialog above it; `[]` when all can be
 * read.
 */
export function crowded(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    interface Line {
      text: string
      owner: Element
      left: number
      right: number
      top: number
      bottom: number
    }
    const lines: Line[] = []
    const found: string[] = []
    const apart = '[aria-hidden="true"], [role="img"], .skip-link, select, script, style, svg'
    /** Whether it is for screen readers only. */
    const unseen = (element: Element): boolean => {
      if (getComputedStyle(element).clipPath === 'inset(50%)') return true
      return element.parentElement !== null && unseen(element.parentElement)
    }
    const root = [...document.querySelectorAll(':modal')].at(-1) ?? document.body
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const owner = node.parentElement
      const text = node.textContent?.trim() ?? ''
      if (!owner || !text || owner.closest(apart) || unseen(owner)) continue
      const shown = owner.checkVisibility({
        contentVisibilityAuto: true,
        opacityProperty: true,
        visibilityProperty: true,
      })
      if (!shown) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      for (const { left, right, top, bottom } of range.getClientRects()) {
        const line = { text: text.slice(0, 40), owner, left, right, top, bottom }
        let floats = false
        const end = root === document.body ? root : root.parentElement
        for (let box: Element | null = owner; box && box !== end; box = box.parentElement) {
          const style = getComputedStyle(box)
          const placed =
            /fixed|sticky/.test(style.position) || box.matches('[data-part=positioner]')
          if (placed && box !== root) floats = true
          if (style.overflowX === 'visible') continue
          const edge = box.getBoundingClientRect()
          const [cutsAcross, cutsDown] = [style.overflowX, style.overflowY].map((overflow) =>
            /hidden|clip/.test(overflow),
          )
          const out =
            (cutsAcross && (line.right > edge.right + 2 || line.left < edge.left - 2)) ||
            (cutsDown && line.bottom > edge.bottom + 2)
          if (out && style.textOverflow !== 'ellipsis' && style.webkitLineClamp === 'none') {
            found.push(`cut: ${line.text}`)
          }
          // What scrolls shows this much of it.
          line.right = Math.min(line.right, edge.right)
          line.left = Math.max(line.left, edge.left)
          line.bottom = Math.min(line.bottom, edge.bottom)
          line.top = Math.max(line.top, edge.top)
        }
        if (!floats && line.right - line.left > 3 && line.bottom - line.top > 3) lines.push(line)
      }
    }
    lines.sort((a, b) => a.top - b.top)
    lines.forEach((a, index) => {
      for (const b of lines.slice(index + 1)) {
        if (b.top > a.bottom - 4) break
        const beside = Math.min(a.right, b.right) - Math.max(a.left, b.left) < 3
        if (beside || a.owner.contains(b.owner) || b.owner.contains(a.owner)) continue
        found.push(`${a.text} / ${b.text}`)
      }
    })
    return [...new Set(found)]
  })
}
