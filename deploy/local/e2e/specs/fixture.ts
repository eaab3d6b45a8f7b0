import { expect, test as base, type BrowserContext } from '@playwright/test'

export * from '@playwright/test'

/** Scripts wait for the first paint, and clicks until then are lost: tests are quicker than people. */
function beginAtOnce() {
  Object.defineProperty(PerformanceObserver, 'supportedEntryTypes', { get: () => [] })
}

/**
 * Every spec's `test`. It fails when a page, in whatever window of whatever person, does what its
 * Content-Security-Policy forbids, or lets an error go uncaught. `asTheyCome` leaves the order in which
 * a page comes as it is.
 */
export const test = base.extend<{ problems: string[]; asTheyCome: boolean }>({
  asTheyCome: [false, { option: true }],
  problems: [
    async ({ browser, asTheyCome }, use) => {
      const problems: string[] = []
      const watch = (context: BrowserContext) => {
        if (!asTheyCome) void context.addInitScript(beginAtOnce)
        context.on('weberror', (event) => problems.push(`uncaught: ${event.error().message}`))
        context.on('console', (message) => {
          const forbidden = /content security policy/i.test(message.text())
          if (message.type() === 'error' && forbidden) problems.push(message.text())
        })
      }
      browser.on('context', watch)
      await use(problems)
      browser.off('context', watch)
      expect(problems, 'uncaught errors, and violations of the policy').toEqual([])
    },
    { auto: true },
  ],
})
