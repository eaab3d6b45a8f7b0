import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test, type Page } from '@playwright/test'

import { crowded, overflow, violations } from '../specs/axe.ts'
import { answer, stopClock } from './api.ts'
import { type State, states } from './states.ts'

const windows = [
  { width: 360, height: 780 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
]

/** Zoom of 400 %, and text of 200 % in a large window and on a phone. */
const enlarged = [
  { width: 320, height: 256, text: 16 },
  { width: 1280, height: 720, text: 32 },
  { width: 360, height: 780, text: 32 },
]

/** The buttons that scrolling brings into the window only in part. */
function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const place = scrollY
    const cut = [...document.querySelectorAll('button')]
      .filter((button) => {
        button.scrollIntoView({ inline: 'nearest' })
        const { left, right, width } = button.getBoundingClientRect()
        return width > 0 && (left < -1 || right > innerWidth + 1)
      })
      .map(({ ariaLabel, textContent }) => ariaLabel ?? textContent)
    scrollTo(0, place)
    return cut
  })
}

async function serve(
  page: Page,
  { email, answers, posts = {}, failing = {}, waiting = [] }: State,
) {
  await stopClock(page)
  await answer(page, email ?? null, answers)
  for (const [path, json] of Object.entries(posts)) {
    await page.route(`**/api/${path}`, (route) => route.fulfill({ json }))
  }
  for (const [path, status] of Object.entries(failing)) {
    await page.route(`**/api/${path}`, (route) =>
      route.fulfill({ status, json: { error: 'Not now.' } }),
    )
  }
  for (const path of waiting) await page.route(`**/api/${path}`, () => {})
}

for (const state of states) {
  test(state.name, async ({ page }, { project }) => {
    await serve(page, state)
    await page.goto(state.path)
    if (!state.waiting) await page.waitForLoadState('networkidle')
    await state.reach?.(page)
    await expect(page.getByText(state.shows).filter({ visible: true }).first()).toBeVisible()
    const folder = join(project.outputDir, 'states')
    await mkdir(folder, { recursive: true })
    const found: string[] = []
    for (const size of windows) {
      await page.setViewportSize(size)
      for (const [colorScheme, ...rules] of [['light'], ['dark', 'color-contrast']] as const) {
        await page.emulateMedia({ colorScheme })
        if (size.width !== 768) {
          const findings = await violations(page, ...rules)
          found.push(...findings.map((finding) => `${size.width} ${colorScheme}: ${finding}`))
        }
        await page.screenshot({
          path: join(folder, `${state.name}-${size.width}-${colorScheme}.png`),
        })
      }
      if ((await overflow(page)) > 0) found.push(`${size.width}: wider than its window`)
    }
    await page.emulateMedia({ forcedColors: 'active' })
    await page.screenshot({ path: join(folder, `HC-${state.name}.png`) })
    await page.emulateMedia({ forcedColors: null })
    const devtools = await page.context().newCDPSession(page)
    for (const { text, ...size } of enlarged) {
      await page.setViewportSize(size)
      await devtools.send('Page.setFontSizes', { fontSizes: { standard: text, fixed: text } })
      // What floats above the page takes its place again a moment later.
      await expect.poll(() => overflow(page), `${size.width}, text of ${text}`).toBe(0)
      await page.screenshot({ path: join(folder, `XL-${state.name}-${size.width}.png`) })
      const cut = await cutOff(page)
      const problems = [...cut.map((name) => `cut off: ${name}`), ...(await crowded(page))]
      found.push(...problems.map((problem) => `${size.width}, text of ${text}: ${problem}`))
    }
    expect(found).toEqual([])
  })
}
