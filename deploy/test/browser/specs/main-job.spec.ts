import { createHash } from 'node:crypto'

import { expect, test, type Download, type Page } from './fixture.ts'

import { joinWaitlist, signInOnPages } from './people.ts'
import { githubURL, mailFor, newAddress } from './stack.ts'

test('a visitor joins, an admin approves, the tester downloads the Mac build @both', async ({
  browser,
}) => {
  const email = newAddress('newcomer')
  const visitor = await (await browser.newContext()).newPage()
  const admin = await (await browser.newContext()).newPage()

  await test.step('the visitor joins the waitlist and signs in', async () => {
    await joinWaitlist(visitor, email)
    await signInOnPages(visitor, email)
    await expect(visitor.getByRole('heading', { name: 'Closed Beta' })).toBeVisible()
    await expect(visitor.getByText('Your waitlist application is pending approval.')).toBeVisible()
    await expect(
      visitor.getByText("We'll notify you when you get access to the closed beta."),
    ).toBeVisible()
  })

  await test.step('the admin finds and approves the entry', async () => {
    await signInOnPages(admin, 'admin@fledge.test')
    await admin.goto('/admin')
    await expect(admin.getByRole('heading', { name: 'Admin Dashboard' })).toBeVisible()
    await admin.getByRole('tab', { name: 'User Management' }).click()
    await admin.getByRole('tab', { name: 'Waitlist' }).click()
    await admin.getByRole('searchbox', { name: 'Search the waitlist' }).fill(email)
    const row = admin.getByRole('row').filter({ hasText: email })
    await expect(row.getByText(/pending/i)).toBeVisible()
    await row.getByRole('button', { name: /approve/i }).click()
    await expect(admin.getByText('Waitlist user approved successfully')).toBeVisible()
    await expect(row.getByText(/approved/i)).toBeVisible()
  })

  await test.step('exactly one email tells the tester', async () => {
    await expect.poll(async () => (await mailFor(email)).length, { timeout: 30_000 }).toBe(1)
    const [received] = await mailFor(email)
    expect(received?.text).toContain('/closed-beta')
  })

  await test.step('the tester downloads the very bytes of the newest release', async () => {
    await visitor.reload()
    await expect(visitor.getByRole('heading', { name: "You're an early adopter!" })).toBeVisible()
    const link = visitor.getByRole('link', {
      name: 'Download for Mac (v1.1.0)',
    })
    await expect(link).toBeVisible()
    await expect(
      visitor.getByRole('link', { name: 'Download for Intel Mac (v1.1.0)' }),
    ).toBeVisible()

    const download = await downloadOf(visitor, () => link.click())

    const { name, url } = await asset('v1.1.0', /arm64\.dmg$/)
    expect(download.suggestedFilename()).toBe(name)
    const expected = Buffer.from(await (await fetch(url)).arrayBuffer())
    expect(await digestOf(download)).toBe(createHash('sha256').update(expected).digest('hex'))
  })
})

/** The download that an action starts, in the page itself or in a tab it opens. */
async function downloadOf(page: Page, action: () => Promise<void>): Promise<Download> {
  const started = new Promise<Download>((resolve) => {
    page.on('download', resolve)
    page.context().on('page', (tab) => tab.on('download', resolve))
  })
  await action()
  return started
}

async function digestOf(download: Download): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of await download.createReadStream()) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

interface GitHubRelease {
  tag_name: string
  assets: { name: string; browser_download_url: string }[]
}

async function asset(tag: string, name: RegExp): Promise<{ name: string; url: string }> {
  const owner = process.env.FLEDGE_GITHUB_OWNER ?? 'fledge'
  const repo = process.env.FLEDGE_GITHUB_REPO ?? 'fledge'
  const response = await fetch(`${githubURL}/repos/${owner}/${repo}/releases`)
  const releases = (await response.json()) as GitHubRelease[]
  const found = releases
    .find((release) => release.tag_name === tag)
    ?.assets.find((candidate) => name.test(candidate.name))
  if (!found) throw new Error(`the stand-in has no ${name} in ${tag}`)
  return { name: found.name, url: found.browser_download_url }
}
