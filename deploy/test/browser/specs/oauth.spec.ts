import * as oauth from 'oauth4webapi'

import { expect, test } from './fixture.ts'

import { agree, chooseAccount } from './mac.ts'
import { newAddress, siteURL } from './stack.ts'

const CALLBACK = 'http://127.0.0.1:49152/auth/callback'

// The product is tested without TLS.
const plain = { [oauth.allowInsecureRequests]: true }
const client: oauth.Client = { client_id: 'any' }

test('an OAuth library signs in by what the metadata says', async ({ page }) => {
  const email = newAddress('library')
  const issuer = new URL(siteURL)
  const found = await oauth.discoveryRequest(issuer, {
    algorithm: 'oauth2',
    ...plain,
  })
  const server = await oauth.processDiscoveryResponse(issuer, found)
  expect(server.code_challenge_methods_supported).toEqual(['S256'])

  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const request = new URL(server.authorization_endpoint ?? '')
  request.search = `${new URLSearchParams({
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'all',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })}`
  let came = ''
  await page.route(`${CALLBACK}?*`, async (route) => {
    came = route.request().url()
    await route.fulfill({ body: 'back' })
  })
  await page.goto(request.href)
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await chooseAccount(page, email)
  await agree(page, email)
  await expect.poll(() => came, { timeout: 15_000 }).toContain('code=')

  const parameters = oauth.validateAuthResponse(server, client, new URL(came), state)
  const none = oauth.None()
  const exchanged = await oauth.authorizationCodeGrantRequest(
    ...([server, client, none, parameters, CALLBACK, verifier, plain] as const),
  )
  const token = await oauth.processAuthorizationCodeResponse(server, client, exchanged)
  expect(token.token_type).toBe('bearer')
  expect(token.expires_in).toBeGreaterThan(500)

  const refresh = (value = '') => oauth.refreshTokenGrantRequest(server, client, none, value, plain)
  const refreshed = await refresh(token.refresh_token)
  const next = await oauth.processRefreshTokenResponse(server, client, refreshed)
  const user = new URL('/api/auth/user', siteURL)
  const read = () =>
    oauth.protectedResourceRequest(next.access_token, 'GET', user, undefined, null, plain)
  expect(await (await read()).json()).toMatchObject({ email })

  const revoked = await oauth.revocationRequest(
    server,
    client,
    none,
    next.refresh_token ?? '',
    plain,
  )
  await oauth.processRevocationResponse(revoked)
  const refused = await refresh(next.refresh_token)
  await expect(oauth.processRefreshTokenResponse(server, client, refused)).rejects.toMatchObject({
    error: 'invalid_grant',
  })
})
