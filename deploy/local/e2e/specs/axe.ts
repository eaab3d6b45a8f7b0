import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

import type { Page } from '@playwright/test'

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

/** By how many pixels a page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
}
