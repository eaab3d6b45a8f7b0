import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from '@playwright/test'

/** What `<service> mails preview` has written, in a directory for each service. */
const dir = process.env.FLEDGE_MAILS_DIR ?? ''

for (const service of dir ? readdirSync(dir) : []) {
  test(service, async ({ page }) => {
    const files = readdirSync(join(dir, service)).filter((file) => file.endsWith('.html'))
    const mails = files.sort().map((file) => readFileSync(join(dir, service, file), 'utf8'))
    await page.setContent('<body style="margin:0">')
    // Each in a document of its own, one below the other.
    const overflows = await page.evaluate(
      (mails) =>
        Promise.all(
          mails.map(
            (mail) =>
              new Promise<number>((resolve) => {
                const frame = document.createElement('iframe')
                frame.style.cssText =
                  'display:block;width:100%;border:0;border-bottom:4px solid gray'
                frame.srcdoc = mail
                frame.onload = () => {
                  const root = frame.contentDocument!.documentElement
                  frame.style.height = `${root.scrollHeight}px`
                  resolve(root.scrollWidth - frame.clientWidth)
                }
                document.body.append(frame)
              }),
          ),
        ),
      mails,
    )
    expect(
      overflows.filter((overflow) => overflow > 0),
      'a reader scrolls down only',
    ).toEqual([])
    await expect(page).toHaveScreenshot(`mails-${service}.png`, {
      fullPage: true,
      maxDiffPixelRatio: 0.0005,
    })
  })
}
