import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test, type Page } from '@playwright/test'

import { overflow, violations } from '../specs/axe.ts'
import { answer, NOW } from './api.ts'
import { type State, states } from './states.ts'

const windows = [
  { width: 360, height: 780 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
]

async function serve(
  page: Page,
  { email, answers, posts = {}, failing = {}, waiting = [] }: State,
) {
  await page.clock.setFixedTime(NOW)
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
    expect(found).toEqual([])
  })
}
