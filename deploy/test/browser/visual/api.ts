import type { Page } from '@playwright/test'

import type { components, paths } from '../../../../web/src/lib/api/schema.ts'
import plans from '../../../../web/src/testing/plans.json' with { type: 'json' }

const siteURL = process.env.FLEDGE_SITE_URL ?? ''

type Schemas = components['schemas']

/** What GET of a route answers, in the shape that gateway/openapi.yaml describes. */
type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } }
}
  ? Body
  : never

export type Answers = { [Path in keyof paths]?: Answer<Path> }

/** The day on which every picture is taken. */
export const NOW = new Date('2026-11-21T12:00:00Z')

/** Stops the page's clock at that day. */
export async function stopClock(page: Page) {
  await page.clock.setFixedTime(NOW)
  // Playwright's clock replaces performance by one without entries: after 15 s the page would say that its scripts are
  // missing (retry-scripts.ts).
  await page.addInitScript(() => {
    const entries = () => [...document.scripts].map(({ src: name }) => ({ name }))
    Object.assign(performance, { getEntriesByType: entries })
  })
}

export const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
export const daysAgo = (n: number) => new Date(NOW.getTime() - n * 86_400_000)
export const lastDays = Array.from({ length: 30 }, (_, n) =>
  daysAgo(29 - n)
    .toISOString()
    .slice(0, 10),
)

/** A row of figures that looks like life and is the same each time. */
export const wave = (n: number, height: number) =>
  Math.round(height * (0.45 + 0.35 * Math.sin(n / 2.3) + 0.2 * Math.sin(n * 1.7)))

/** How long the tickets of twelve weeks took, in all and about billing, up to about so many hours. */
const weeksOf = (hours: number): Schemas['TicketWeek'][] =>
  Array.from({ length: 12 }, (_, n) =>
    ([null, 'billing'] as const).map((category) => ({
      week: daysAgo(5 + 7 * (11 - n))
        .toISOString()
        .slice(0, 10),
      category,
      tickets: category ? 4 : 20,
      p50_seconds: wave(n, hours * 3600),
      p90_seconds: wave(n, hours * 3600) * 4,
    })),
  ).flat()

const questions: [
  string,
  Schemas['TicketCategory'],
  Schemas['TicketPriority'],
  Schemas['TicketStatus'],
  string,
][] = [
  [
    'mona.weber',
    'bug',
    'urgent',
    'open',
    'The export stops at 80 percent and the log says that a file is in use. It worked yesterday, before the update.',
  ],
  [
    'مريم.الحربي',
    'technical_support',
    'high',
    'open',
    'التطبيق يفتح المتصفح ثم يعود من غير تسجيل الدخول. جربت مرتين.',
  ],
  [
    'jo',
    'feature_request',
    'medium',
    'in_progress',
    'Could a project have two colour schemes, one for each of my customers?',
  ],
  [
    'anna-katharina.freifrau-von-und-zu-guttenberg-osterholz',
    'billing',
    'low',
    'resolved',
    'Bitte schicken Sie mir die Rechnung für die Donaudampfschifffahrtsgesellschaft noch einmal zu.',
  ],
  ['sam.okafor', 'other', 'medium', 'closed', 'Thank you, that was quick.'],
]

export const tickets = questions.map(
  ([name, category, priority, status, message], n): Schemas['SupportTicket'] => ({
    id: id(n + 1),
    ticket_id: `TKT-00000${5 - n}`,
    user_email: `${name}@fledge.test`,
    created_at: daysAgo(n).toISOString(),
    updated_at: daysAgo(n).toISOString(),
    status,
    priority,
    category,
    subject: null,
    message,
    app_version: n % 2 ? null : '1.1.0',
    operating_system: n % 2 ? null : 'macOS 15.1',
    version: 1,
  }),
)

/** The answers that somebody signed in on the free plan gets; overrides replace some. */
function answers(overrides: Answers): Answers {
  return {
    '/api/is-admin': { isAdmin: false, isModerator: false },
    '/api/get-plans': { data: plans },
    '/api/get-subscription': { data: null },
    '/api/get-credit-balance': { data: null },
    '/api/get-token-balance': { data: null },
    '/api/get-credit-history': {
      data: [],
      nextCursor: null,
      days: lastDays.map((day) => ({ day, amount: 0 })),
    },
    '/api/get-my-support-tickets': { data: [], nextCursor: null },
    '/api/get-waitlist-status': { status: null },
    '/api/get-update-channel': { channel: 'stable', isPrerelease: false, downloads: {} },
    '/api/auth/devices': {
      data: [
        {
          id: id(1),
          kind: 'browser',
          name: '',
          user_agent:
            'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
          ip_address: '203.0.113.7',
          created_at: daysAgo(9).toISOString(),
          last_active_at: NOW.toISOString(),
          current: true,
        },
        {
          id: id(2),
          kind: 'mac',
          name: 'Studio',
          user_agent: 'Fledge/1.1.0',
          ip_address: '203.0.113.7',
          created_at: daysAgo(30).toISOString(),
          last_active_at: daysAgo(1).toISOString(),
          current: false,
        },
      ],
    },
    ...overrides,
  }
}

/** What an active Pro subscriber has. */
export const subscriber: Answers = {
  '/api/get-subscription': {
    data: {
      user_id: id(9),
      status: 'active',
      current_period_end: '2026-12-09T12:00:00Z',
      created_at: '2026-10-09T12:00:00Z',
      plan: { name: 'Pro', monthly_credits: 50, price_monthly: 25 },
      periodCredits: 50,
    },
  },
  '/api/get-credit-balance': { data: { user_id: id(9), credit_balance: 31.47, credit_max: 50 } },
  '/api/get-token-balance': {
    data: {
      granted: 50,
      used: 18.53,
      held: 0,
      balance: 31.47,
      period_end: '2026-12-09T12:00:00Z',
      endings: [
        { at: '2026-12-09T12:00:00Z', amount: 26.47 },
        { at: '2027-02-20T12:00:00Z', amount: 5 },
      ],
    },
  },
  '/api/get-credit-history': {
    data: [
      ...[4, 3, 2, 1].map((n) => ({
        id: id(n),
        time: daysAgo(4 - n).toISOString(),
        kind: 'consume' as const,
        amount: -0.29 * n,
        balance_after: 31.47 + 0.29 * n,
        description: 'A screen, written anew',
      })),
      {
        id: id(0),
        time: daysAgo(4).toISOString(),
        kind: 'grant' as const,
        amount: 50,
        balance_after: 50,
        description: 'Pro plan',
        paid: { amount: 29.75, currency: 'eur' },
      },
    ],
    nextCursor: null,
    days: lastDays.map((day, n) => ({ day, amount: Math.max(0, wave(n, 2)) })),
  },
  '/api/get-my-support-tickets': {
    data: [{ ...tickets[2]!, messages: [], earlier: false }],
    nextCursor: null,
  },
}

/** What an approved beta tester gets. */
export const tester: Answers = {
  '/api/get-waitlist-status': { status: 'approved' },
  '/api/get-update-channel': {
    channel: 'stable',
    isPrerelease: false,
    downloads: {
      arm64: { url: '/api/download/1.1.0/a.dmg', filename: 'Fledge-arm64.dmg', version: '1.1.0' },
      x64: { url: '/api/download/1.1.0/x.dmg', filename: 'Fledge-x64.dmg', version: '1.1.0' },
    },
  },
}

/** What an admin gets. */
export const admin: Answers = {
  '/api/is-admin': { isAdmin: true, isModerator: false },
  '/api/get-support-tickets': {
    data: tickets,
    pagination: { page: 1, limit: 50, total: 128, totalPages: 3 },
  },
  '/api/get-support-ticket': {
    data: {
      ...tickets[0]!,
      messages: [
        {
          id: id(1),
          author: 'staff',
          body: 'Thank you. Which macOS is it, and is the project in iCloud Drive?',
          created_at: daysAgo(0).toISOString(),
          author_email: 'admin@fledge.test',
        },
      ],
      earlier: false,
      notes: [],
      history: [],
      mail_trouble: null,
    },
  },
  '/api/get-support-desk': { staff: [], answers: [], notices: 'hourly' },
  '/api/get-admin-stats': {
    waitlist: {
      total: 1500,
      pending: 1204,
      approved: 290,
      rejected: 6,
      invitations: {
        approved: 194,
        opened: 150,
        signed_in: 121,
        downloaded: 96,
        reminded: 0,
        expired: 0,
      },
      days: lastDays.map((day, n) => ({ day, sign_ups: wave(n, 60), approvals: wave(n + 5, 14) })),
    },
    tickets: {
      open: { urgent: 2, high: 3, medium: 9, low: 4 },
      backlog: [
        { category: 'bug', day: 4, week: 3, older: 1 },
        { category: 'billing', day: 3, week: 1, older: 0 },
        { category: 'technical_support', day: 2, week: 2, older: 2 },
      ],
      first_answer_seconds: 3 * 3600,
      resolve_seconds: 3 * 86400,
      first_answer_weeks: weeksOf(3),
      resolve_weeks: weeksOf(60),
      days: lastDays.map((day, n) => ({ day, created: wave(n, 9), resolved: wave(n + 1, 8) })),
    },
    subscriptions: {
      active: 112,
      cancelled: 7,
      past_due: 2,
      cases: 0,
      differences: 0,
      plans: [
        { name: 'Pro', active: 89 },
        { name: 'Business', active: 23 },
      ],
    },
    credits: { spent: 2140.5, days: lastDays.map((day, n) => ({ day, spent: wave(n + 2, 110) })) },
    downloads: {
      total: 977,
      days: lastDays.map((day, n) => ({ day, total: wave(n + 3, 50) })),
      versions: [
        { version: '1.1.0', total: 612 },
        { version: '1.0.0', total: 365 },
      ],
    },
  },
}

/** The session of somebody who signs in with these providers. */
export const sessionOf = (
  email: string,
  ...providers: Schemas['Provider'][]
): Schemas['Session'] => ({
  access_token: 'token',
  refresh_token: 'refresh',
  expires_in: 600,
  // Also for a page whose clock goes on.
  expires_at: Math.floor(Math.max(NOW.getTime(), Date.now()) / 1000) + 600,
  token_type: 'bearer',
  user: {
    id: id(9),
    email,
    app_metadata: { provider: 'google' },
    identities: providers.map((provider) => ({ provider })),
    factors: [],
  },
})

/** Lets the API answer from a table, to nobody (null) or to somebody with an email address. */
export async function answer(page: Page, email: string | null, overrides: Answers = {}) {
  const table: Record<string, unknown> = answers(overrides)
  // Without the hint that a session leaves, no page asks for one.
  if (email) await page.context().addCookies([{ name: 'fledge_hint', value: 'J', url: siteURL }])
  await page.route('**/api/**', (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname === '/api/auth/session') {
      return email
        ? route.fulfill({ json: table[pathname] ?? sessionOf(email, 'google') })
        : route.fulfill({
            status: 401,
            json: { error: 'Please sign in.', code: 'unauthenticated' },
          })
    }
    const body = table[pathname]
    return body === undefined
      ? route.fulfill({ status: 501, json: { error: `no answer for ${pathname}` } })
      : route.fulfill({ json: body })
  })
}
