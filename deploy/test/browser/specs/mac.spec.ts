import { expect, test, type Page } from './fixture.ts'

import {
  agree,
  call,
  chooseAccount,
  Mac,
  macs,
  nthLink,
  restart,
  signedIn,
  watchLinks,
  watchText,
} from './mac.ts'
import { newAddress } from './stack.ts'

const ended = /^error: this Mac has been signed out: .* sign in again\n$/

/** The success screen with its two actions: opening the app, and where to look if that fails. */
const success = [
  'Authentication Successful!',
  'You can now return to the app on your Mac',
  'Open Fledge on your Mac',
  'Check your Mac',
]

async function expectSuccess(page: Page): Promise<void> {
  for (const words of success) await expect(page.getByText(words).first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Open Fledge on your Mac' })).toBeEnabled()
}

test('a Mac signs in over a loopback address @both @apple', async ({ page }) => {
  const mac = Mac.fresh()
  const email = newAddress('loopback')
  const waiting = await mac.signIn('--provider', 'apple')
  const callback = new URL(waiting.page).searchParams.get('callback') ?? ''
  expect(callback).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/auth\/callback$/)

  // Held until the page that sends the browser there has been looked at.
  let release: () => void = () => undefined
  const looked = new Promise<void>((resolve) => (release = resolve))
  let arrived = ''
  await page.route(`${callback}?*`, async (route) => {
    arrived = route.request().url()
    expect(route.request().headers().referer).toBeUndefined()
    await looked
    await route.continue()
  })
  const text = await watchText(page)
  await page.goto(waiting.page)
  await chooseAccount(page, email)
  await agree(page, email)
  await expect.poll(() => arrived, { timeout: 15_000 }).toContain('code=')
  for (const words of [...success, `Signed in as ${email}`])
    await expect.poll(text).toContain(words)
  release()

  expect(await waiting.outcome).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Signed in as ${email} (apple).\n`),
  })
  await expect(page.getByRole('heading', { name: 'Authentication Successful!' })).toBeVisible()
  await expect(page.getByText('This tab can be closed.')).toBeVisible()
  expect(page.url()).toBe(arrived)
  expect([...new URL(arrived).searchParams.keys()]).toEqual(['code', 'state'])

  expect((await mac.run('whoami')).stdout).toContain(`${email} (apple), account `)
})

test('a Mac signs in on the app’s link, which a second click makes anew', async ({ page }) => {
  const mac = Mac.fresh()
  const email = newAddress('scheme')
  const links = await watchLinks(page)
  await page.goto(await mac.askForLink())
  await chooseAccount(page, email)
  const first = new URL(await nthLink(links, 0))
  await expectSuccess(page)
  expect(page.url(), 'nothing secret stays in the address bar').not.toMatch(/code=|token/)

  // Chromium is asking whether it may open the app, and keeps the mouse from the page meanwhile.
  await page.getByRole('button', { name: 'Open Fledge on your Mac' }).dispatchEvent('click')
  const second = new URL(await nthLink(links, 1))
  expect(second.searchParams.get('state')).toBe(first.searchParams.get('state'))
  expect(second.searchParams.get('code')).not.toBe(first.searchParams.get('code'))

  const { code, stdout } = await mac.handle(second.href)
  expect({ code, stdout }).toEqual({ code: 0, stdout: `Signed in as ${email} (google).\n` })
  const again = await mac.handle(first.href)
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toContain('no sign-in is waiting for this link')
})

test('a session outlives a restart of identity @both @stops', async ({ context }) => {
  const { mac, email } = await signedIn(context, 'restart')
  expect(await mac.run('refresh')).toMatchObject({ code: 0, stderr: '' })
  await restart('identity')
  const refreshed = await mac.run('refresh')
  expect(refreshed).toMatchObject({ code: 0, stderr: '' })
  expect(refreshed.stdout).toMatch(/is good for (10m0s|9m5\ds)\.\n$/)
  expect((await mac.run('whoami')).stdout).toContain(email)
  expect(await macs(context.request)).toHaveLength(1)
})

test('a Mac that its owner removes is signed out', async ({ context }) => {
  const { mac } = await signedIn(context, 'removed')
  const [device, ...others] = await macs(context.request)
  expect(others).toEqual([])
  expect((await mac.run('devices')).stdout).toMatch(
    new RegExp(`^${device?.id} +mac .*this one *\n.*browser`, 'm'),
  )
  const removed = await call(context.request, 'POST', '/api/auth/revoke-device', {
    device_id: device?.id,
  })
  expect(removed.status).toBe(204)

  const refused = await mac.run('refresh')
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(ended)
  expect(await mac.run('whoami')).toEqual({ code: 1, stdout: '', stderr: 'error: not signed in\n' })
  expect(await macs(context.request)).toEqual([])
})

test('a code that is used twice is refused and ends the session of the first use', async ({
  page,
}) => {
  const mac = Mac.fresh()
  const links = await watchLinks(page)
  await page.goto(await mac.askForLink())
  await chooseAccount(page, newAddress('stolen'))
  const link = await nthLink(links, 0)
  const { verifier, callback } = await mac.attempt()
  expect(await mac.handle(link)).toMatchObject({ code: 0 })

  const again = await page.request.post('/api/auth/token', {
    data: {
      grant_type: 'authorization_code',
      code: new URL(link).searchParams.get('code'),
      code_verifier: verifier,
      redirect_uri: callback,
    },
  })
  expect(again.status()).toBe(400)
  expect(await again.json()).toMatchObject({ code: 'invalid_grant' })

  expect((await mac.run('refresh')).stderr).toMatch(ended)
  expect(await macs(page.request)).toEqual([])
})

test('signing out everywhere ends browsers and Macs, from either side', async ({ context }) => {
  const { mac } = await signedIn(context, 'everywhere')
  const out = await call(context.request, 'POST', '/api/auth/sign-out', { scope: 'all' })
  expect(out.status).toBe(204)
  expect((await mac.run('refresh')).stderr).toMatch(ended)

  const { mac: other } = await signedIn(context, 'everywhere-mac')
  expect(await other.run('sign-out', '--everywhere')).toMatchObject({
    code: 0,
    stdout: 'Signed out on every browser and Mac.\n',
  })
  expect((await context.request.get('/api/auth/session')).status()).toBe(401)
})

test('an app without a challenge gets tokens in the fragment of its link', async ({ page }) => {
  const mac = Mac.fresh()
  const email = newAddress('fragment')
  const links = await watchLinks(page)
  await page.goto(await mac.askForLink('--no-pkce'))
  await chooseAccount(page, email)
  const link = new URL(await nthLink(links, 0))
  await expectSuccess(page)
  expect(link.search).toBe('')
  expect([...new URLSearchParams(link.hash.slice(1)).keys()]).toEqual(
    expect.arrayContaining(['access_token', 'refresh_token', 'expires_in', 'token_type', 'state']),
  )

  expect(await mac.handle(link.href)).toMatchObject({
    code: 0,
    stdout: `Signed in as ${email} (google).\n`,
  })
  expect(await mac.run('refresh')).toMatchObject({ code: 0 })
  expect(await mac.run('sign-out')).toMatchObject({ code: 0 })
  expect(await macs(page.request), 'the tokens were of a device of their own').toEqual([])
  expect((await page.request.get('/api/auth/session')).status()).toBe(200)
})

test('a sign-in that is cancelled at the provider ends on the Mac as well', async ({ page }) => {
  const mac = Mac.fresh()
  const waiting = await mac.signIn()
  await page.goto(waiting.page)
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(await waiting.outcome).toMatchObject({
    code: 1,
    stderr: 'error: the sign-in was cancelled, or the provider did not confirm it\n',
  })
  await expect(page.getByRole('heading', { name: "Sign-in didn't work" })).toBeVisible()
  expect((await mac.run('whoami')).stderr).toBe('error: not signed in\n')
})
