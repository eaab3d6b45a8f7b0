import type { components } from '../../../../web/src/lib/api/schema.ts'
import { admin, type Answers, daysAgo, id, lastDays, tickets, wave } from './api.ts'

type Schemas = components['schemas']

const people = [
  'mona.weber@fledge.test',
  'مريم.الحربي@fledge.test',
  'anna-katharina.freifrau-von-und-zu-guttenberg-osterholz@fledge.test',
  'jo@fledge.test',
  'sam.okafor@fledge.test',
]
const roles: Schemas['Role'][][] = [
  ['user'],
  ['moderator', 'user'],
  ['user'],
  ['admin', 'moderator', 'user'],
  ['user'],
]
const statuses: Schemas['WaitlistStatus'][] = [
  'pending',
  'pending',
  'approved',
  'rejected',
  'pending',
]
const sources: Schemas['WaitlistUser']['source'][] = [
  'hero_section',
  'import',
  'admin',
  'cta_section',
  'hero_section',
]

/** As many entries of the waitlist as one likes. */
export const entries = (count: number, from = 0): Schemas['WaitlistUser'][] =>
  Array.from({ length: count }, (_, n) => ({
    id: id(1000 + from + n),
    email: from + n < people.length ? people[n]! : `person-${from + n}@fledge.test`,
    status: statuses[n % statuses.length]!,
    source: sources[n % sources.length]!,
    created_at: daysAgo(n % 300).toISOString(),
    claimed_email: null,
    mail: statuses[n % statuses.length] === 'approved' ? 'sent' : null,
    mail_reply: null,
    left: false,
  }))

/** As many accounts as one likes. */
export const accounts = (count: number, from = 0): Schemas['AdminUser'][] =>
  Array.from({ length: count }, (_, n) => ({
    id: id(2000 + from + n),
    email: from + n < people.length ? people[n]! : `person-${from + n}@fledge.test`,
    provider: 'google',
    providers: ['google'],
    roles: roles[n % roles.length]!,
    state: 'active',
    disabled_at: null,
    disabled_because: null,
    erase_at: null,
    email_off_since: null,
    created_at: daysAgo(n % 300).toISOString(),
    last_sign_in_at: daysAgo((n % 300) / 2).toISOString(),
    email_confirmed_at: daysAgo(n % 300).toISOString(),
  }))

const log = [
  ['waitlist.approved', people[0], { status: 'pending' }, { status: 'approved' }],
  ['user.roles_changed', people[1], { roles: ['user'] }, { roles: ['moderator', 'user'] }],
  ['ticket.updated', 'TKT-000003', { status: 'open' }, { status: 'in_progress' }],
  ['release.rollout_changed', 'v1.2.0', { rollout_percentage: 10 }, { rollout_percentage: 25 }],
  ['waitlist.added', people[2], null, { status: 'pending' }],
] as const

/** As many actions of staff as one likes. */
export const logged = (count: number, from = 0): Schemas['AuditEntry'][] =>
  Array.from({ length: count }, (_, n) => {
    const [action, label, before, after] = log[n % log.length]!
    return {
      id: id(3000 + from + n),
      at: daysAgo(n % 300).toISOString(),
      actor_id: id(9),
      actor_email: 'admin@fledge.test',
      action,
      subject: id(n + 1),
      subject_label: label ?? '',
      before: before as Schemas['AuditState'],
      after: after as Schemas['AuditState'],
      client_ip: '203.0.113.7',
      user_agent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.1 Safari/605.1.15',
      request_id: '0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8',
      reason: '',
    }
  })

const release = (minor: number, values: Partial<Schemas['Release']>): Schemas['Release'] => ({
  id: minor,
  name: `Fledge 1.${minor}.0`,
  version: `1.${minor}.0`,
  channel: 'stable',
  chosenChannel: null,
  publishedAt: daysAgo(40 - 10 * minor).toISOString(),
  downloadCount: 480 * (4 - minor),
  siteDownloadCount: 310 * (4 - minor),
  isAvailable: true,
  rolloutPercentage: 100,
  nextPercentage: null,
  nextPercentageAt: null,
  replacedAt: null,
  promotedAt: null,
  updateProblem: null,
  isRequired: false,
  assets: [
    { id: minor * 10, name: `Fledge-1.${minor}.0-arm64.dmg`, size: 104_857_600 },
    { id: minor * 10 + 1, name: `Fledge-1.${minor}.0-x64.dmg`, size: 109_387_264 },
    { id: minor * 10 + 2, name: 'latest-mac.yml', size: 842 },
  ],
  ...values,
})

/** An approval of many people that is under way. */
export const aWave = (values: Partial<Schemas['Wave']> = {}): Schemas['Wave'] => ({
  id: id(900),
  search: '',
  source: null,
  joinedBefore: daysAgo(0).toISOString(),
  people: 0,
  startsAt: daysAgo(0).toISOString(),
  perMinute: 60,
  state: 'running',
  total: 1248,
  approved: 480,
  undone: 0,
  failures: [],
  undoUntil: null,
  startedBy: 'admin@fledge.test',
  createdAt: daysAgo(0).toISOString(),
  changedAt: daysAgo(0).toISOString(),
  starterLostRole: false,
  channel: null,
  ...values,
})

/** What each tab of the dashboard shows an admin, with people, releases and a log. */
export const staff: Answers = {
  ...admin,
  '/api/get-users-with-roles': { data: accounts(5), nextCursor: 'more' },
  '/api/get-waitlist-users': {
    data: entries(5),
    nextCursor: 'more',
    undelivered: 0,
    unconfirmed: 0,
  },
  '/api/get-waves': { data: [] },
  '/api/get-github-releases': {
    releases: [
      release(3, {
        channel: 'beta',
        isAvailable: false,
        version: '1.3.0-beta.1',
        name: 'Fledge 1.3.0 beta, with the new canvas for larger iPads',
      }),
      release(2, { rolloutPercentage: 25 }),
      release(1, {}),
    ],
    lastCheck: daysAgo(0).toISOString(),
  },
  '/api/get-download-stats': {
    days: lastDays.map((day, n) => ({ day, total: wave(n + 3, 50) })),
    versions: [
      { version: '1.2.0', total: 612, arm64: 480, x64: 100 },
      { version: '1.1.0', total: 365, arm64: 250, x64: 115 },
    ],
  },
  '/api/get-version-usage': {
    days: lastDays.map((day, n) => ({
      day,
      versions: [
        { name: '1.2.0', total: 40 * n },
        { name: '1.1.0', total: 1500 - 30 * n },
        { name: 'other', total: 90 },
      ],
    })),
    archs: [
      { name: 'arm64', total: 36_000 },
      { name: 'x64', total: 11_000 },
      { name: 'other', total: 3_050 },
    ],
    systems: [
      { name: '26', total: 30_000 },
      { name: '15', total: 14_000 },
      { name: '14', total: 3_000 },
      { name: 'other', total: 3_050 },
    ],
    channels: [
      { name: 'stable', total: 48_000 },
      { name: 'beta', total: 2_050 },
    ],
  },
  '/api/get-audit-log': { data: logged(5), nextCursor: null },
}

const mac: Schemas['Device'] = {
  id: id(50),
  kind: 'mac',
  name: 'MacBook of Anna-Katharina',
  user_agent: 'Fledge/1.1.0 (Macintosh)',
  ip_address: '203.0.113.7',
  created_at: daysAgo(20).toISOString(),
  last_active_at: daysAgo(0).toISOString(),
  current: false,
}

/** Somebody with devices, credits and a past, whom staff have disabled. */
export const disabled: Answers = {
  ...staff,
  '/api/get-person': {
    ...accounts(3)[2]!,
    state: 'disabled',
    disabled_at: daysAgo(1).toISOString(),
    disabled_because: 'staff',
  },
  '/api/get-person-devices': {
    devices: [mac],
    signIns: [{ ...mac, at: mac.created_at, ended_at: null }],
  },
  '/api/get-person-channel': { channel: 'beta', setAt: mac.created_at },
  '/api/get-person-billing': {
    subscription: null,
    credits: { granted: 15, used: 2.5, held: 0, balance: 12.5, period_end: null },
    entries: [
      {
        id: id(60),
        time: daysAgo(3).toISOString(),
        kind: 'adjust',
        amount: 15,
        balance_after: 12.5,
        description: 'For the outage',
      },
    ],
    nextCursor: null,
    stripeUrl: 'https://dashboard.stripe.com/customers/cus_1',
    owed: 0,
    disputes: 0,
    disabled: false,
    renews: false,
  },
}

/** The same, with a plan that ends since the account is disabled. */
export const disabledWithPlan: Answers = {
  ...disabled,
  '/api/get-person-billing': {
    ...disabled['/api/get-person-billing']!,
    subscription: {
      user_id: id(2002),
      status: 'cancelled',
      current_period_end: '2026-12-09T12:00:00Z',
      created_at: '2026-10-09T12:00:00Z',
      plan: { name: 'Pro', monthly_credits: 50, price_monthly: 25 },
      periodCredits: 50,
    },
    disabled: true,
  },
}

const theirs = 'anna-katharina.freifrau-von-und-zu-guttenberg-osterholz@fledge.test'

/** What a moderator reads of somebody, and nothing of what is for admins. */
export const moderating: Answers = {
  '/api/is-admin': { isAdmin: false, isModerator: true },
  '/api/get-person': accounts(3)[2]!,
  '/api/get-waitlist-users': {
    data: entries(3)
      .slice(2)
      .map((entry) => ({ ...entry, channel: 'beta' })),
    nextCursor: null,
    undelivered: 0,
    unconfirmed: 0,
  },
  '/api/get-support-tickets': {
    data: tickets.filter(({ user_email }) => user_email === theirs),
    pagination: { page: 1, limit: 50, total: 1, totalPages: 1 },
  },
}

/** A ticket with a long conversation and all that was changed. */
export const discussed: Answers = {
  ...staff,
  '/api/get-support-ticket': {
    data: {
      ...tickets[0]!,
      subject: 'Export stops at 80 percent',
      status: 'in_progress',
      messages: [
        {
          id: id(1),
          author: 'staff',
          body: 'Thank you. Which macOS is it, and is the project in iCloud Drive?',
          created_at: daysAgo(0).toISOString(),
          author_email: 'admin@fledge.test',
        },
        {
          id: id(2),
          author: 'customer',
          body: 'It is 15.1, and yes, it is in iCloud Drive.\n\nDonaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen.swift is the file.',
          created_at: daysAgo(0).toISOString(),
          author_email: 'mona.weber@fledge.test',
        },
      ],
      earlier: false,
      notes: [],
      mail_trouble: null,
      history: [
        {
          id: id(1),
          at: daysAgo(0).toISOString(),
          actor_email: 'admin@fledge.test',
          field: 'status',
          from: 'open',
          to: 'in_progress',
        },
        {
          id: id(2),
          at: daysAgo(0).toISOString(),
          actor_email: 'admin@fledge.test',
          field: 'message',
          from: null,
          to: 'Thank you.',
        },
      ],
    },
  },
}

const desk = {
  last_message_at: daysAgo(0).toISOString(),
  last_message_by: 'customer' as const,
  waiting_since: daysAgo(0).toISOString(),
  answer_due: null,
  answered_in_time: null,
  assignee_id: id(9),
  assignee_email: 'colleague@fledge.test',
  tags: ['export', 'icloud'],
}

/** Tickets that staff work on: given to somebody, tagged, with a note and a long thread. */
export const worked: Answers = {
  ...staff,
  '/api/get-support-desk': {
    notices: 'hourly',
    staff: [{ id: id(9), email: 'colleague@fledge.test' }],
    answers: [{ id: id(8), title: 'Update first', body: 'Hi {{name}}, please update.' }],
  },
  '/api/get-support-tickets': {
    data: tickets.map((ticket, n) => ({
      ...ticket,
      desk: n % 2 ? { ...desk, last_message_by: 'staff' as const, waiting_since: null } : desk,
    })),
    pagination: { page: 1, limit: 50, total: 5, totalPages: 1 },
  },
  '/api/get-support-ticket': {
    data: {
      ...tickets[0]!,
      desk,
      messages: [
        {
          id: id(1),
          author: 'staff',
          body: 'Thank you. Which macOS is it?',
          created_at: daysAgo(0).toISOString(),
          author_email: 'admin@fledge.test',
        },
      ],
      earlier: true,
      notes: [
        {
          id: id(2),
          created_at: daysAgo(0).toISOString(),
          author_email: 'admin@fledge.test',
          body: 'The same as the report of last week.',
        },
      ],
      history: [],
      mail_trouble: { state: 'bounced', reason: '550 5.1.1', at: daysAgo(0).toISOString() },
    },
  },
}

/** Emails of the waitlist that did not arrive, and sign-ups that were not confirmed. */
export const undelivered: Answers = {
  ...staff,
  '/api/get-waitlist-users': { data: entries(5), nextCursor: null, undelivered: 3, unconfirmed: 2 },
  '/api/get-mails': {
    data: [theirs, 'jo@fledge.test'].map((to, n) => ({
      id: n,
      state: 'bounced' as const,
      to,
      subject: 'Your place in the closed beta is ready',
      reply: '550 5.1.1',
      replyAt: 'RCPT TO',
      queuedAt: daysAgo(n + 1).toISOString(),
      nextTryAt: null,
      endedAt: daysAgo(n).toISOString(),
    })),
    nextCursor: 'more',
    counts: [
      { state: 'bounced', count: 3 },
      { state: 'sent', count: 1248 },
    ],
  },
  '/api/get-unconfirmed-sign-ups': {
    data: [theirs, 'jo@fledge.test'].map((email, n) => ({
      email,
      source: 'hero_section' as const,
      created_at: daysAgo(n + 1).toISOString(),
      mail: n ? ('bounced' as const) : ('sent' as const),
      mail_reply: n ? '550 5.1.1' : null,
      ends_at: daysAgo(n - 6).toISOString(),
    })),
    nextCursor: null,
  },
}

/** What finance sees after a year: an old price, two currencies, and something odd. */
export const trading: Answers = {
  ...staff,
  '/api/get-finances': {
    subscriptions: [
      {
        plan: 'Pro',
        priceId: 'price_1RfPpXJ2zQ',
        status: 'active',
        monthly: { amount: 25, currency: 'usd' },
        subscriptions: 61,
      },
      {
        plan: 'Pro',
        priceId: 'price_1TkKqWJ2zQ',
        status: 'active',
        monthly: { amount: 29, currency: 'usd' },
        subscriptions: 28,
      },
      {
        plan: 'Pro',
        priceId: 'price_1TkKqWJ2zQ',
        status: 'past_due',
        monthly: { amount: 29, currency: 'usd' },
        subscriptions: 2,
      },
      {
        plan: 'Business',
        priceId: 'price_1RfPq9J2zQ',
        status: 'active',
        monthly: { amount: 50, currency: 'eur' },
        subscriptions: 23,
      },
      {
        plan: 'Enterprise',
        priceId: 'price_1UaBcDJ2zQ',
        status: 'active',
        monthly: null,
        subscriptions: 1,
      },
    ],
    monthlyRevenue: [
      { amount: 1150, currency: 'eur' },
      { amount: 2395, currency: 'usd' },
    ],
    had: 109,
    lost: 6,
    credits: { granted: 6800, spent: 4120.75, expired: 1201.5, withdrawn: 50, adjusted: 15 },
    outstanding: 3911.25,
    owed: 12.5,
    owing: [
      { userId: id(2002), owed: 12.5, disputes: 1 },
      { userId: id(2003), owed: 0, disputes: 2 },
    ],
    differences: [
      'The webhook endpoint https://fledge.test/api/stripe-webhook does not get charge.dispute.created, refund.failed.',
    ],
  },
  '/api/get-billing-cases': {
    data: [
      {
        object: 'in_1TmQ8vJ2zQrXh4',
        reason: 'odd_invoice',
        userId: id(2002),
        since: daysAgo(3).toISOString(),
        events: 2,
        stripeUrl: 'https://dashboard.stripe.com/invoices/in_1',
        grantable: true,
      },
      {
        object: 'sub_1TmR1cJ2zQd0pL',
        reason: 'unknown_customer',
        userId: null,
        since: daysAgo(1).toISOString(),
        events: 0,
        stripeUrl: null,
        grantable: false,
      },
    ],
    total: 2,
  },
}

/** Every list of the staff, with nothing in it. */
export const idle: Answers = {
  ...staff,
  '/api/get-support-tickets': {
    data: [],
    pagination: { page: 1, limit: 50, total: 0, totalPages: 0 },
  },
  '/api/get-users-with-roles': { data: [], nextCursor: null },
  '/api/get-waitlist-users': { data: [], nextCursor: null, undelivered: 0, unconfirmed: 0 },
  '/api/get-waves': { data: [] },
  '/api/get-github-releases': { releases: [], lastCheck: daysAgo(0).toISOString() },
  '/api/get-download-stats': { days: [], versions: [] },
  '/api/get-version-usage': { days: [], archs: [], systems: [], channels: [] },
  '/api/get-audit-log': { data: [], nextCursor: null },
  '/api/get-finances': {
    subscriptions: [],
    monthlyRevenue: [],
    had: 0,
    lost: 0,
    credits: { granted: 0, spent: 0, expired: 0, withdrawn: 0, adjusted: 0 },
    outstanding: 0,
    owed: 0,
    owing: [],
    differences: [],
  },
  '/api/get-billing-cases': { data: [], total: 0 },
  '/api/get-admin-stats': {
    waitlist: {
      total: 0,
      pending: 0,
      approved: 0,
      rejected: 0,
      invitations: { approved: 0, opened: 0, signed_in: 0, downloaded: 0, reminded: 0, expired: 0 },
      days: lastDays.map((day) => ({ day, sign_ups: 0, approvals: 0 })),
    },
    tickets: {
      open: { urgent: 0, high: 0, medium: 0, low: 0 },
      backlog: [],
      first_answer_seconds: null,
      resolve_seconds: null,
      first_answer_weeks: [],
      resolve_weeks: [],
      days: lastDays.map((day) => ({ day, created: 0, resolved: 0 })),
    },
    subscriptions: { active: 0, cancelled: 0, past_due: 0, plans: [], cases: 0, differences: 0 },
    credits: { spent: 0, days: lastDays.map((day) => ({ day, spent: 0 })) },
    downloads: { total: 0, days: lastDays.map((day) => ({ day, total: 0 })), versions: [] },
  },
}
