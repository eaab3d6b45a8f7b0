import { string } from 'valibot'
import { requestJson } from './http'
import { patiently } from './patiently'
import { shape } from './shape'
import type { Provider } from './types'

/** Start anew and come back to a page of the site, or go on with a flow that waits for a decision. */
export type SignInStart = { return_to: string; user_id?: string } | { flow: string }

const started = shape<{ url: string }>({ url: string() })

/**
 * Starts a sign-in and resolves to the address to navigate to: the provider's page.
 * Rejects with a `Problem`. Not over RTK, so that the sign-in dialog weighs nothing.
 * With `refresh`, the provider is asked again although somebody is signed in. With `link`, it is
 * added to the account `user_id`, which must be the one that is signed in.
 */
export async function startSignIn(
  provider: Provider,
  start: SignInStart,
  { refresh = false, link = false } = {},
): Promise<string> {
  const params = { ...(refresh && { refresh: 'true' }), ...(link && { link: 'true' }) }
  const options = { method: 'POST', params, body: start } as const
  const path = `/api/auth/signin/${provider}`
  const { url } = await patiently(() => requestJson(path, options, started))
  return url
}
