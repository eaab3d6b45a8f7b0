import { expect, test as base, type BrowserContext } from '@playwright/test'

export * from '@playwright/test'

/**
 * Every spec's `test`. It fails when any page of any browser context violates its Content-Security-Policy or throws
 * an uncaught error.
 */
export const test = base.extend<{ problems: string[] }>({
  problems: [
    async ({ browser }, use) => {
      const problems: string[] = []
      const watch = (context: BrowserContext) => {
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
