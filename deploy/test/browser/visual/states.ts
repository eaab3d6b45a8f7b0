import { expect, type Page } from '@playwright/test'

import plans from '../../../../web/src/testing/plans.json' with { type: 'json' }
import { type Answers, daysAgo, id, sessionOf, subscriber, tester, tickets } from './api.ts'
import {
  aWave,
  disabled,
  disabledWithPlan,
  discussed,
  idle,
  moderating,
  staff,
  trading,
  undelivered,
  worked,
} from './staff.ts'

export interface State {
  name: string
  path: string
  /** Who looks; nobody when missing. */
  email?: string
  answers?: Answers
  /** What the routes answer that something is sent to. */
  posts?: Record<string, object>
  /** Routes that fail with this status, or that never answer. */
  failing?: Record<string, number>
  waiting?: string[]
  /** What is done there first. */
  reach?: (page: Page) => Promise<unknown>
  /** A text of the state, to know that it has come. */
  shows: string | RegExp
}

const INVITATION = `/closed-beta#claim=${'q'.repeat(43)}`
const LINK_TOKEN = '3f1b0a52-b1d9-4e8a-96c1-f0d2e9b84c31'
const JANE = 'jane@fledge.test'
const ADMIN = 'admin@fledge.test'

const press = (name: string | RegExp) => (page: Page) =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click()

const visitor = (
  name: string,
  path: string,
  shows: State['shows'],
  values: Partial<State> = {},
): State => ({ name, path, shows, ...values })
const jane: typeof visitor = (name, path, shows, values) =>
  visitor(name, path, shows, { email: JANE, ...values })

const subscribed = (
  status: string,
  values: Answers = {},
  period: string | null = '2026-12-09T12:00:00Z',
): Answers => ({
  ...subscriber,
  '/api/get-subscription': {
    data: {
      user_id: id(9),
      status,
      current_period_end: period,
      created_at: '2026-10-09T12:00:00Z',
      plan: { name: 'Pro', monthly_credits: 50, price_monthly: 25 },
      periodCredits: 50,
      ...((status === 'past_due' || status === 'processing') && {
        due: {
          amount: 25,
          currency: 'usd',
          since: '2026-11-09T12:00:00Z',
          processing: status === 'processing',
        },
      }),
    },
  },
  ...values,
})

const onBusiness = {
  user_id: id(9),
  status: 'active',
  current_period_end: '2026-12-09T12:00:00Z',
  created_at: '2026-10-09T12:00:00Z',
  plan: { name: 'Business', monthly_credits: 100, price_monthly: 50 },
  periodCredits: 100,
  laterPriceIds: ['price_pro'],
}
const business: Answers = { ...subscriber, '/api/get-subscription': { data: onBusiness } }
const changing: Answers = {
  ...subscriber,
  '/api/get-subscription': {
    data: { ...onBusiness, change: { plan: 'Pro', at: '2026-12-09T12:00:00Z' } },
  },
}

const byYear: Answers = {
  ...subscribed('active'),
  '/api/get-plans': {
    data: plans.map((plan) =>
      plan.id === 'pro' ? { ...plan, annual: { priceId: 'price_year', price: 250 } } : plan,
    ),
  },
  '/api/get-subscription': {
    data: {
      ...onBusiness,
      interval: 'year',
      plan: { name: 'Pro', monthly_credits: 50, price_monthly: 25 },
      periodCredits: 600,
      laterPriceIds: ['price_pro', 'price_business'],
    },
  },
}

const factor = (enrolled: boolean): Answers => ({
  ...staff,
  '/api/auth/second-factor': {
    required: true,
    enrolled,
    verified: enrolled,
    recovery_codes: enrolled,
  },
})
/** The picture is a placeholder: what it says is Kratos' affair. */
const enrolment = {
  flow: id(7),
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  uri: 'otpauth://totp/Fledge:admin@fledge.test?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Fledge',
  qr_code:
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
}

const toBuy: Answers = {
  ...subscriber,
  '/api/get-plans': {
    data: plans,
    packs: [20, 100].map((credits) => ({
      productId: 'prod_pack',
      priceId: `price_${credits}`,
      credits,
      price: { amount: credits * 0.6, currency: 'usd' },
    })),
  },
}
const packOnItsWay: Answers = {
  ...toBuy,
  '/api/get-token-balance': {
    data: {
      granted: 50,
      used: 18.53,
      held: 0,
      balance: 31.47,
      period_end: '2026-12-09T12:00:00Z',
      onTheirWay: [{ credits: 20, since: daysAgo(1).toISOString() }],
    },
  },
}
const trying: Answers = {
  ...subscriber,
  '/api/get-subscription': {
    data: {
      user_id: id(9),
      status: 'active',
      current_period_end: '2026-11-28T12:00:00Z',
      created_at: '2026-11-21T12:00:00Z',
      plan: { name: 'Pro', monthly_credits: 50, price_monthly: 25 },
      periodCredits: 50,
      afterTrial: { amount: 25, currency: 'usd' },
    },
  },
}

const nearlySpent: Answers = {
  '/api/get-credit-balance': { data: { user_id: id(9), credit_balance: 4.21, credit_max: 50 } },
  '/api/get-token-balance': {
    data: { granted: 50, used: 44.79, held: 1, balance: 4.21, period_end: '2026-12-09T12:00:00Z' },
  },
}

const answered: Answers = {
  ...subscriber,
  '/api/get-my-support-tickets': {
    data: [
      {
        ...tickets[0]!,
        subject: 'Export stops at 80 percent',
        messages: [
          {
            id: id(1),
            author: 'staff',
            body: 'Thank you. Which macOS is it, and is the project in iCloud Drive?',
            created_at: daysAgo(0).toISOString(),
          },
        ],
        earlier: false,
      },
      { ...tickets[3]!, messages: [], earlier: false },
    ],
    nextCursor: null,
  },
}

const site: State[] = [
  visitor('landing-joined', '/', 'Done.', {
    posts: { 'add-waitlist-user': { message: 'Done.' } },
    reach: async (page) => {
      await page.getByRole('textbox').first().fill('anna-katharina.freifrau@fledge.test')
      await page.keyboard.press('Enter')
    },
  }),
  visitor('landing-refused', '/', 'Not now.', {
    failing: { 'add-waitlist-user': 503 },
    reach: async (page) => {
      await page.getByRole('textbox').first().fill('jane@fledge.test')
      await page.keyboard.press('Enter')
    },
  }),
  visitor('privacy', '/privacy', 'Privacy Policy'),
  visitor('article-not-found', '/blog/no-such-article', 'Article Not Found'),
  visitor('blog-empty', '/blog', 'No articles found matching your criteria.', {
    reach: (page) => page.getByRole('searchbox').fill('nothing like it'),
  }),
  jane('unexpected-shape', '/profile', 'Try again', {
    answers: { '/api/get-plans': { data: 1 } as never },
    reach: press('Upgrade Plan'),
  }),
]

const code =
  'code_challenge_method=S256&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&state=abcdefghijklmnop'
const loopback = `callback=${encodeURIComponent('http://127.0.0.1:49152/auth/callback')}&${code}`
const app = `callback=${encodeURIComponent('fledge://auth/callback')}&${code}`
const flow = (n: number, group = 'oidc') => ({
  id: 'f',
  ui: {
    messages: [
      {
        id: n,
        text: '',
        type: 'info',
        context: { duplicate_identifier: JANE, provider: 'apple', available_providers: ['google'] },
      },
    ],
    nodes: [
      { type: 'input', group, attributes: { name: 'provider', type: 'submit', value: 'google' } },
    ],
  },
})

const auth: State[] = [
  jane('upgrade', '/upgrade', 'Redirecting to profile...', { waiting: ['auth/session'] }),
  visitor('auth', `/auth?provider=google&${app}`, 'Redirecting to authentication...', {
    waiting: ['auth/signin/google'],
  }),
  visitor('auth-incomplete', '/auth', /./),
  visitor('auth-unreachable', '/auth?provider=google&callback=https://evil.example', /./),
  visitor('callback-waiting', `/auth/callback?${app}`, 'Signing you in...', {
    waiting: ['auth/session'],
  }),
  jane('callback-asks', `/auth/callback?${app}`, 'Sign in to Fledge on your Mac?'),
  jane(
    'callback-asks-loopback',
    `/auth/callback?${loopback}`,
    'Sign in a program on this computer?',
  ),
  jane('signin-unreachable', '/signin', "We can't reach the server", {
    failing: { 'auth/session': 503 },
  }),
  visitor(
    'callback-refused',
    '/auth/callback?callback=https://evil.example',
    "This link can't be opened",
  ),
  jane('callback-done', `/auth/callback?${app}`, 'Authentication Successful!', {
    posts: { 'auth/hand-off': { code: 'c', expires_in: 60 } },
    reach: press('Continue'),
  }),
  jane('callback-failed', `/auth/callback?${app}`, "isn't signed in yet", {
    failing: { 'auth/hand-off': 503 },
    reach: press('Continue'),
  }),
  visitor('callback-told', `/auth/callback?${app}&error=access_denied`, /./),
  ...(['email_not_verified', 'account_disabled', 'sign_in_interrupted'] as const).map((code) => ({
    name: `auth-error-${code}`,
    path: '/auth/error?id=e',
    answers: { '/api/auth/kratos/self-service/errors': { code } } as Answers,
    shows: /verified|disabled|interrupted/,
  })),
  visitor('signin-link', '/signin?flow=f&kind=login', /./, {
    answers: { '/api/auth/kratos/self-service/login/flows': flow(1010016) } as Answers,
  }),
  visitor('signin-wrong', '/signin?flow=f&kind=login', /./, {
    answers: { '/api/auth/kratos/self-service/login/flows': flow(4010009) } as Answers,
  }),
  visitor('signin', '/signin', 'Choose how you want to sign in.'),
  visitor('signin-expired', '/signin?flow=f', 'Sign in again', {
    failing: { 'auth/kratos/self-service/login/flows*': 404 },
  }),
  visitor('sign-in-dialog', '/closed-beta', 'Not now.', {
    failing: { 'auth/signin/google': 503 },
    reach: async (page) => {
      await page.getByRole('main').getByRole('button', { name: 'Sign In' }).click()
      await page.getByRole('button', { name: 'Continue with Google' }).click()
    },
  }),
]

const beta: State[] = [
  jane('beta-checking', '/closed-beta', 'Checking access...', { waiting: ['get-waitlist-status'] }),
  visitor('beta-signed-out', '/closed-beta', 'Sign in to check your closed beta access'),
  jane('beta-pending', '/closed-beta', 'pending approval', {
    answers: { '/api/get-waitlist-status': { status: 'pending' } },
  }),
  jane('beta-review', '/closed-beta', 'under review', {
    answers: { '/api/get-waitlist-status': { status: 'rejected' } },
  }),
  jane('beta-downloads-loading', '/closed-beta', 'Loading downloads...', {
    answers: tester,
    waiting: ['get-update-channel'],
  }),
  jane('beta-downloads-failing', '/closed-beta', "Downloads can't be loaded right now.", {
    answers: tester,
    failing: { 'get-update-channel': 403, 'get-latest-downloads': 403 },
  }),
  jane('beta-no-downloads', '/closed-beta', "You're an early adopter!", {
    answers: {
      ...tester,
      '/api/get-update-channel': { channel: 'stable', isPrerelease: false, downloads: {} },
    },
  }),
  jane('beta-not-listed', '/closed-beta', "You're not on the waitlist yet."),
  visitor('beta-invited', INVITATION, 'Your invitation is kept until then'),
  visitor('beta-invitation', INVITATION, 'Use your invitation?', {
    email: 'x7k2m9q4@privaterelay.appleid.com',
    posts: {
      'get-invitation': {
        email: 'anna-katharina.freifrau-von-und-zu-guttenberg-osterholz@fledge.test',
      },
    },
  }),
  visitor('confirm-waitlist', `/confirm-waitlist#${LINK_TOKEN}`, 'Join the waitlist?'),
  visitor('leave-waitlist', `/leave-waitlist#${LINK_TOKEN}`, 'Leave the waitlist?'),
  visitor('left-waitlist', `/leave-waitlist#${LINK_TOKEN}`, "You're off the list", {
    posts: { 'leave-waitlist*': {} },
    reach: press('Take me off the list'),
  }),
  jane('beta-invitation-unknown', INVITATION, 'Not now.', { failing: { 'get-invitation': 404 } }),
]

const deleteAccount = async (page: Page) => {
  await page.getByLabel('Type DELETE to confirm').fill('DELETE')
  await press('Delete my account')(page)
}

const profile: State[] = [
  jane('profile-unreachable', '/profile', "We can't reach the server", {
    failing: { 'auth/session': 503 },
  }),
  jane('profile-loading', '/profile', 'Loading...', { waiting: ['auth/session'] }),
  jane('profile-skeletons', '/profile', "Where you're signed in", {
    waiting: ['get-subscription', 'get-credit-balance', 'auth/devices', 'get-my-support-tickets*'],
  }),
  jane('profile-free', '/profile', 'Free Plan'),
  jane('profile-failing', '/profile', 'Not now.', {
    failing: {
      'get-subscription': 403,
      'get-credit-balance': 403,
      'auth/devices': 403,
      'get-my-support-tickets*': 403,
    },
  }),
  jane('profile-cancelled', '/profile', 'Subscription is active until', {
    answers: subscribed('cancelled', nearlySpent),
  }),
  jane('profile-overdue', '/profile', '$25.00 has been overdue since November 9, 2026.', {
    answers: subscribed('past_due', nearlySpent),
  }),
  jane('profile-processing', '/profile', '$25.00 has been on its way since', {
    answers: subscribed('processing'),
  }),
  jane('profile-paused', '/profile', 'paused', { answers: subscribed('paused') }),
  visitor('profile-no-date', '/profile', 'Next billing date: Period end', {
    email: 'anna-katharina.freifrau-von-und-zu-guttenberg-osterholz@fledge.test',
    answers: subscribed('active', { '/api/get-waitlist-status': { status: 'approved' } }, null),
  }),
  jane('profile-confirming', '/profile?success=true', 'Confirming your payment...'),
  jane(
    'profile-welcome',
    '/profile?success=true&plan=Business&tokens=100&price=%2450',
    'Welcome to Business!',
    { answers: subscribed('active') },
  ),
  jane('profile-plans-free', '/profile?paywall=true', 'Choose your plan'),
  jane('profile-plans-active', '/profile#upgrade', 'Choose your plan', {
    answers: subscribed('active'),
  }),
  jane('profile-changing', '/profile', 'Changes to Pro on', { answers: changing }),
  jane('profile-plans-changing', '/profile#upgrade', 'Keep Business', { answers: changing }),
  jane('profile-plans-business', '/profile#upgrade', /^From /, { answers: business }),
  jane('profile-plans-cancelled', '/profile#upgrade', 'Choose your plan', {
    answers: subscribed('cancelled'),
  }),
  jane('profile-plans-yearly', '/profile#upgrade', '600 credits per year', { answers: byYear }),
  jane('profile-plans-trial', '/profile#upgrade', /^Free for 7 days/, {
    answers: { '/api/get-subscription': { data: null, trialDays: 7 } },
  }),
  jane('profile-trial', '/profile', /^Free trial until/, { answers: trying }),
  jane('profile-packs', '/profile', 'Extra credits', { answers: toBuy }),
  jane('profile-pack-on-its-way', '/profile', /on their way since/, { answers: packOnItsWay }),
  jane('profile-plans-failing', '/profile#upgrade', 'Choose your plan', {
    failing: { 'get-plans': 403 },
  }),
  jane('profile-history', '/profile', 'A screen, written anew', {
    answers: subscribed('active'),
    reach: press('View Details'),
  }),
  jane('profile-history-empty', '/profile', /./, { reach: press('View Details') }),
  jane('profile-history-failing', '/profile', 'Not now.', {
    failing: { 'get-credit-history*': 403 },
    reach: press('View Details'),
  }),
  jane('profile-sign-in-methods', '/profile', 'Your only way to sign in', {
    reach: (page) => page.getByRole('region', { name: 'Your data' }).scrollIntoViewIfNeeded(),
  }),
  jane(
    'profile-sign-in-method-removed',
    '/profile#sign-in-methods',
    /^Other browsers and Macs stay signed in/,
    {
      answers: { '/api/auth/session': sessionOf(JANE, 'google', 'apple') },
      posts: { 'auth/unlink-provider': sessionOf(JANE, 'google').user },
      reach: async (page) => {
        await press('Remove Apple')(page)
        await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
      },
    },
  ),
  visitor('profile-second-factor', '/profile#second-factor', 'New recovery codes', {
    email: ADMIN,
    answers: factor(true),
  }),
  visitor('profile-second-factor-none', '/profile#second-factor', 'Set up an authenticator app', {
    email: ADMIN,
    answers: factor(false),
  }),
  visitor('profile-second-factor-enrol', '/profile#second-factor', 'Code that the app shows now', {
    email: ADMIN,
    answers: factor(false),
    posts: { 'auth/begin-second-factor': enrolment },
    reach: press('Set up an authenticator app'),
  }),
  visitor(
    'profile-recovery-codes',
    '/profile#second-factor',
    'Keep them where your phone is not.',
    {
      email: ADMIN,
      answers: factor(true),
      posts: {
        'auth/create-recovery-codes': {
          codes: Array.from({ length: 12 }, (_, n) => `k3x9p2${n + 10}`),
        },
      },
      reach: press('New recovery codes'),
    },
  ),
  jane('profile-linking-failed', '/profile?linking=failed&flow=x', 'It was not added.'),
  jane('profile-support', '/profile', 'What is it about?', { reach: press('Contact support') }),
  jane('profile-support-sent', '/profile', 'We have your message', {
    posts: { 'create-support-ticket': { data: tickets[0] } },
    reach: async (page) => {
      await press('Contact support')(page)
      await page.getByLabel('What is it about?').selectOption('bug')
      await page.getByLabel('Message').fill('It stops.')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
    },
  }),
  jane('profile-ticket', '/profile', 'Which macOS is it', {
    answers: answered,
    reach: (page) => page.locator('summary').first().click(),
  }),
  jane('profile-sign-out', '/profile', /^Sign out everywhere\?/, {
    reach: press('Sign out everywhere'),
  }),
  jane('profile-delete', '/profile#delete-account', 'stops renewing.', {
    answers: subscribed('active', nearlySpent),
  }),
  jane('profile-delete-stale', '/profile#delete-account', 'Please sign in again first', {
    reach: async (page) => {
      const json = { error: 'Not now.', code: 'fresh_sign_in_required', requestId: '' }
      await page.route('**/api/auth/delete-account', (route) =>
        route.fulfill({ status: 403, json }),
      )
      await deleteAccount(page)
    },
  }),
  jane('profile-deleted', '/profile#delete-account', 'Your account will be erased', {
    posts: { 'auth/delete-account': { eraseAt: '2026-12-03T12:00:00Z' } },
    reach: deleteAccount,
  }),
  jane('profile-menu', '/profile', 'Signed in as', { reach: press('Account menu') }),
]

const dashboard = (
  name: string,
  query: string,
  shows: State['shows'],
  values: Partial<State> = {},
): State => ({
  name: `admin-${name}`,
  path: `/admin${query}`,
  email: ADMIN,
  answers: staff,
  shows,
  ...values,
})
const users = '?tab=users'
const waitlist = '?tab=users&view=waitlist'
const updates = '?tab=updates'

const previewed = {
  report: { added: 1245, known: 3, invalid: 1, lines: [] },
  columns: [
    { title: 'Email', sample: 'mona.weber@fledge.test', isTime: false },
    { title: 'Signed up', sample: '3/11/2026', isTime: true },
    { title: 'Channel', sample: 'Newsletter', isTime: false },
  ],
  email: 1,
  joined: 2,
  status: 0,
  source: 0,
  head: 1,
  dayFirst: true,
  oldestFirst: true,
  rows: [
    ['mona.weber@fledge.test', 'added'],
    ['anna-katharina.freifrau-von-und-zu-guttenberg-osterholz@fledge.test', 'known'],
    ['not an address', 'invalid'],
  ].map(([email, outcome], n) => ({
    line: n + 2,
    email,
    outcome,
    joinedAt: outcome === 'invalid' ? null : daysAgo(n).toISOString(),
    status: outcome === 'invalid' ? null : 'pending',
    source: outcome === 'invalid' ? null : 'import',
    error: outcome === 'invalid' ? 'Not an email address.' : null,
  })),
}
const detail = (page: Page) => page.getByRole('button', { name: 'View Details' }).first().click()
const person = `${users}&person=${id(2002)}`
const selectAll = (page: Page) => page.getByLabel('Select all pending entries shown').check()
const admins: State[] = [
  dashboard('checking', '', 'Checking permissions...', { waiting: ['is-admin'] }),
  dashboard('denied', '', 'Access Denied', { answers: {} }),
  dashboard('overview', '', 'Admin Dashboard'),
  dashboard('overview-empty', '', 'Admin Dashboard', { answers: idle }),
  dashboard('overview-loading', '', 'Admin Dashboard', { waiting: ['get-admin-stats'] }),
  dashboard('billing', '?tab=billing', 'Its lines contradict each other', { answers: trading }),
  dashboard('billing-grant', '?tab=billing', 'Reason', {
    answers: trading,
    reach: press(/^Give credits/),
  }),
  dashboard('overview-failing', '', 'Not now.', { failing: { 'get-admin-stats': 403 } }),
  dashboard('tickets-loading', '?tab=tickets', 'Loading tickets...', {
    waiting: ['get-support-tickets*'],
  }),
  dashboard('tickets-empty', '?tab=tickets&priority=urgent', 'No tickets found', { answers: idle }),
  dashboard('tickets-failing', '?tab=tickets', 'Not now.', {
    failing: { 'get-support-tickets*': 403 },
  }),
  dashboard('ticket', '?tab=tickets', 'Admin Response', { answers: discussed, reach: detail }),
  dashboard('ticket-end', '?tab=tickets', 'Admin Response', {
    answers: discussed,
    reach: async (page) => {
      await detail(page)
      await page.getByRole('button', { name: 'Close Ticket' }).scrollIntoViewIfNeeded()
    },
  }),
  dashboard('tickets-worked', '?tab=tickets', 'Waiting for us', { answers: worked }),
  dashboard('ticket-worked', '?tab=tickets', 'Add an internal note', {
    answers: worked,
    reach: detail,
  }),
  dashboard('ticket-answers', '?tab=tickets', 'Texts that staff can start an answer with', {
    answers: worked,
    reach: async (page) => {
      await detail(page)
      await press('Canned answers')(page)
    },
  }),
  dashboard('tickets-keys', '?tab=tickets', 'Keyboard shortcuts', { reach: press('Keys') }),
  dashboard('tickets-selected', '?tab=tickets', '5 selected', {
    reach: (page) => page.getByLabel('Select all tickets on this page').check(),
  }),
  dashboard('ticket-viewed', '?tab=tickets', /is writing an answer$/, {
    answers: worked,
    posts: {
      'view-support-ticket': {
        version: 0,
        others: [
          { email: 'mona.weber@fledge.test', writing: true },
          { email: 'sam.okafor@fledge.test', writing: false },
        ],
      },
    },
    reach: detail,
  }),
  dashboard('ticket-new', '?tab=tickets', 'Email of the customer', { reach: press('New ticket') }),
  dashboard('tickets-notices', '?tab=tickets', /^Not about what you did/, {
    reach: press('Notifications'),
  }),
  dashboard('ticket-loading', '?tab=tickets', 'Loading ticket...', {
    waiting: ['get-support-ticket?*'],
    reach: detail,
  }),
  dashboard('ticket-failing', '?tab=tickets', 'Not now.', {
    failing: { 'get-support-ticket?*': 403 },
    reach: detail,
  }),
  dashboard('users', users, 'jo@fledge.test'),
  dashboard('users-loading', users, 'All Users', { waiting: ['get-users-with-roles*'] }),
  dashboard('users-empty', `${users}&role=moderator`, /No users (found|match)/, { answers: idle }),
  dashboard('users-failing', users, 'The users could not be loaded.', {
    failing: { 'get-users-with-roles*': 403 },
  }),
  dashboard('person', person, /anna-katharina/, { answers: disabled }),
  dashboard('person-end', person, /anna-katharina|What staff did/, {
    answers: disabled,
    reach: (page) => page.evaluate(() => window.scrollTo(0, document.body.scrollHeight)),
  }),
  dashboard('person-delete', person, 'Reason', { answers: disabled, reach: press(/^Delete/) }),
  dashboard('person-failing', person, /anna-katharina/, {
    answers: disabled,
    failing: { 'get-person-billing*': 403 },
  }),
  dashboard('person-renewal', person, 'Let the plan renew', { answers: disabledWithPlan }),
  dashboard('person-renewal-asked', person, 'Reason', {
    answers: disabledWithPlan,
    reach: press('Let the plan renew'),
  }),
  dashboard('person-moderator', person, 'Tickets', {
    email: 'moderator@fledge.test',
    answers: moderating,
  }),
  dashboard('users-roles', users, 'Change roles', {
    reach: (page) => page.getByRole('button', { name: /^Change roles of mona/ }).click(),
  }),
  dashboard('users-roles-stale', users, 'Please sign in again', {
    reach: async (page) => {
      const json = {
        error: 'Please sign in again to confirm that it is you.',
        code: 'fresh_sign_in_required',
        requestId: '',
      }
      await page.route('**/api/set-user-roles', (route) => route.fulfill({ status: 403, json }))
      await page.getByRole('button', { name: /^Change roles of mona/ }).click()
      await page.getByLabel('Moderator').click()
      await page.getByLabel('Reason').fill('Helps with tickets.')
      await page.getByRole('button', { name: 'Save roles' }).click()
    },
  }),
  dashboard('waitlist', waitlist, 'jo@fledge.test'),
  dashboard('waitlist-empty', waitlist, /^No waitlist users found/, { answers: idle }),
  dashboard('waitlist-selected', waitlist, /3 selected/, { reach: selectAll }),
  dashboard('waitlist-confirm', waitlist, 'Approve 3 people?', {
    reach: async (page) => {
      await selectAll(page)
      await page.getByRole('button', { name: 'Approve selected' }).click()
    },
  }),
  dashboard('waitlist-remove', waitlist, 'Remove from the waitlist?', {
    reach: press(/^Remove anna-katharina/),
  }),
  dashboard('waitlist-result', waitlist, /of 3 people/, {
    posts: {
      'bulk-approve-waitlist-users': {
        results: [
          { waitlistUserId: id(1000), ok: true },
          {
            waitlistUserId: id(1001),
            ok: false,
            error: 'It was removed meanwhile.',
            code: 'conflict',
          },
          { waitlistUserId: id(1004), ok: true },
        ],
      },
    },
    reach: async (page) => {
      await selectAll(page)
      await page.getByRole('button', { name: 'Approve selected' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Approve' }).click()
    },
  }),
  dashboard('waitlist-approve-many', waitlist, /^1,248 people will be approved/, {
    posts: { 'start-wave': aWave() },
    reach: press('Approve many'),
  }),
  dashboard('waitlist-approve-many-channel', waitlist, /^1,248 people will be approved/, {
    posts: { 'start-wave': aWave() },
    reach: async (page) => {
      await press('Approve many')(page)
      await page.getByLabel('Update channel').selectOption('beta')
    },
  }),
  dashboard('waitlist-waves', waitlist, /^Approving: /, {
    answers: {
      ...staff,
      '/api/get-waves': {
        data: [
          aWave({ undoUntil: '2026-11-21T12:01:00Z', channel: 'beta' }),
          aWave({
            id: id(901),
            state: 'done',
            approved: 1247,
            failures: [{ id: id(1001), email: 'anna-katharina.freifrau@fledge.test' }],
          }),
        ],
      },
    },
  }),
  dashboard('waitlist-emails', waitlist, /^Sent emails are listed/, {
    answers: undelivered,
    reach: press('Emails'),
  }),
  dashboard('waitlist-unconfirmed', waitlist, 'Not confirmed yet', {
    answers: undelivered,
    reach: press('Show who'),
  }),
  dashboard('waitlist-import', waitlist, 'Choose a file, or drop it here', {
    reach: press('Import CSV'),
  }),
  dashboard('waitlist-import-preview', waitlist, /^1,245 would be added/, {
    posts: { 'preview-waitlist-import*': previewed },
    reach: async (page) => {
      await press('Import CSV')(page)
      await page.locator('input[type=file]').setInputFiles({
        name: 'people.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('Email,Signed up,Channel\n'),
      })
    },
  }),
  dashboard('toasts', waitlist, 'Not now.', {
    failing: { 'get-waitlist-users*': 403 },
    reach: async (page) => {
      for (let count = 2; count <= 3; count += 1) {
        await page.getByRole('button', { name: 'Refresh' }).click()
        await expect(page.getByRole('button', { name: 'Dismiss' })).toHaveCount(count)
      }
      // They stay while somebody is at them.
      await page.getByRole('button', { name: 'Dismiss' }).first().focus()
    },
  }),
  dashboard('updates', updates, 'Fledge 1.1.0'),
  dashboard('updates-explained', updates, 'This app is offered v1.1.0.', {
    answers: {
      ...staff,
      '/api/explain-update': {
        version: '1.1.0',
        sentences: [
          'This app is offered v1.1.0.',
          'v1.2.0 is rolled out to 10 %, and this device is at 43.',
          'v1.1.0 is rolled out to all.',
        ],
      },
    },
    reach: press('Explain'),
  }),
  dashboard('updates-versions', updates, 'Versions in use', {
    reach: (page) =>
      page.getByRole('heading', { name: 'Versions in use' }).scrollIntoViewIfNeeded(),
  }),
  dashboard('updates-require', updates, /^Require v/, { reach: press(/^Require v/) }),
  dashboard('updates-preview-links', updates, 'In use', {
    answers: {
      ...staff,
      '/api/get-preview-links': {
        links: [{ id: 7, createdAt: '2026-11-20T12:00:00Z', endsAt: '2026-11-27T12:00:00Z' }],
      },
    },
    reach: press(/^Preview links to v/),
  }),
  dashboard('updates-empty', updates, 'No releases found', { answers: idle }),
  dashboard('updates-loading', updates, 'How It Works', {
    waiting: ['get-github-releases', 'get-download-stats'],
  }),
  dashboard('updates-failing', updates, 'Failed to fetch releases', {
    failing: { 'get-github-releases': 503, 'get-download-stats': 503 },
  }),
  dashboard('audit', '?tab=audit', 'admin@fledge.test'),
  dashboard('audit-empty', '?tab=audit&search=nobody', 'Nothing in the log matches your filters.', {
    answers: idle,
  }),
  dashboard('audit-failing', '?tab=audit', 'Not now.', { failing: { 'get-audit-log*': 403 } }),
]

export const states: State[] = [...site, ...auth, ...beta, ...profile, ...admins]
