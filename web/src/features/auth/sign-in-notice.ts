import { isProvider, providers } from '@/components/app/provider-buttons/providers'
import { paths } from '@/config/paths'
import type { SignInStart } from '@/lib/api/sign-in'
import type { Provider, SignInFlow } from '@/lib/api/types'
import { isReturnTo, returnToPage } from '@/lib/auth/return-to'
import { formatFullDateTime } from '@/lib/dates'
import { parseUrl } from '@/lib/parse-url'
import { titled } from '@/lib/words'
import { readAppRequest, withError } from './app-request'
import { pendingSignIn, returnAgain } from './pending-app'

/** What /signin says about a sign-in that waits or was refused, and how it can go on. */
export interface SignInNotice {
  title: string
  text: string
  /** A second, more urgent line: the last attempt failed. */
  alert?: string
  start: SignInStart
  /** The start anew once the sign-in that waits has expired. */
  afterwards?: SignInStart
  /** The providers to choose from; all of them without it. */
  offer?: readonly Provider[]
}

/** The messages of a flow by id (gateway/openapi.yaml, SignInMessage); their texts are never shown. */
const LINK_ACCOUNT = 1010016
const WRONG_ACCOUNT = 4010009
const PROVIDER_REFUSED = 4000001
const NOT_VERIFIED = 900100

function messagesOf({ ui }: SignInFlow) {
  return [...(ui.messages ?? []), ...ui.nodes.flatMap((node) => node.messages ?? [])]
}

/** The part of the flow's own return address that we may ask for again. */
function returnTo(flow: SignInFlow): string {
  const address = flow.return_to ? parseUrl(flow.return_to, window.location.origin) : null
  const target = address ? address.pathname + address.search : ''
  return isReturnTo(target) ? target : returnToPage(paths.profile)
}

/** The notice of a page that was opened without a sign-in, and goes on to `page`. */
export function signInOffer(page: string): SignInNotice {
  return {
    title: 'Sign in',
    text: 'Choose how you want to sign in.',
    start: { return_to: returnToPage(page) },
  }
}

/** The notice for whoever has just deleted their account, which is erased at `eraseAt`. */
export function deletionOffer(eraseAt: string): SignInNotice {
  return {
    title: 'Your account will be erased',
    text: `You are signed out everywhere. Your account will be erased on ${formatFullDateTime(eraseAt)}. Signing in again before then takes that back.`,
    start: { return_to: returnToPage(paths.profile) },
  }
}

/**
 * The notice of a sign-in that the server does not know, or no more. One that this tab began for an app still leads
 * there.
 */
export function expiredNotice(): SignInNotice {
  return {
    title: 'Sign in again',
    text: 'This sign-in has expired or was started in another browser.',
    start: { return_to: returnAgain(pendingSignIn()?.app ?? null) },
  }
}

/** For an account whose provider does not vouch for its address. */
export const notVerified = {
  title: 'Your email address is not verified',
  text: 'Verify it with Google or Apple first, then sign in again. The account of a school or company may have no address of its own: use another one then.',
}

/** The notice for the flow, chosen by the ids of its messages. */
export function signInNotice(flow: SignInFlow): SignInNotice {
  const messages = messagesOf(flow)
  const has = (id: number) => messages.some((message) => message.id === id)
  const again = { start: { return_to: returnTo(flow) } }

  if (has(NOT_VERIFIED)) return { ...notVerified, ...again }
  const offered = flow.ui.nodes
    .map((node) => (node.attributes?.name === 'provider' ? node.attributes.value : null))
    .filter(isProvider)
  if (has(LINK_ACCOUNT) || has(WRONG_ACCOUNT)) return linkNotice(flow, offered)
  if (has(PROVIDER_REFUSED)) {
    return {
      title: 'Sign-in was cancelled',
      text: 'The provider did not confirm who you are. You can try again.',
      ...again,
    }
  }
  return { ...signInOffer(paths.profile), ...again }
}

function linkNotice(flow: SignInFlow, offered: Provider[]): SignInNotice {
  const messages = messagesOf(flow)
  const context = messages.find(({ id }) => id === LINK_ACCOUNT)?.context
  const known = offered.length > 0 ? offered : providers
  const address = context?.duplicate_identifier ?? 'Your email address'
  const existing = known.map(titled).join(' or ')
  const [other, ...more] = providers.filter((provider) => !known.includes(provider))
  const provider = isProvider(context?.provider) ? context.provider : other
  const added = provider && more.length === 0 ? titled(provider) : 'the other provider'
  return {
    title: 'You already have an account',
    text: `${address} signs in with ${existing}. Continue with ${existing} once, and from then on ${added} works as well.`,
    ...(messages.some(({ id }) => id === WRONG_ACCOUNT) && {
      alert: 'That was another account. Please use the one with the same email address.',
    }),
    start: { flow: flow.id },
    afterwards: { return_to: returnTo(flow) },
    offer: known,
  }
}

/** The app waiting for a sign-in that its provider refused: it is told, instead of showing a page. */
export function refusedApp(flow: SignInFlow): string | null {
  if (!messagesOf(flow).some(({ id }) => id === PROVIDER_REFUSED)) return null
  const app = readAppRequest(new URLSearchParams(returnTo(flow).split('?')[1]))
  if (!app || app === 'invalid') return null
  return withError(app, {
    error: 'access_denied',
    error_description: 'The provider did not confirm the sign-in',
  })
}
