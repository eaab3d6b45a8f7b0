import type { Release } from '@/lib/api/types'

interface Rollout {
  channel: Release['channel']
  percentage: number
  available: boolean
}

/** Which installed apps follow a channel: alpha gets betas, too. */
const followers = {
  stable: 'installed apps',
  beta: 'apps on the beta or alpha channel',
  alpha: 'apps on the alpha channel',
}

/** What a rollout means for the people who have the app. */
export function rolloutWords({ channel, percentage, available }: Rollout): string {
  const words = available ? 'Offered to' : 'Once enabled, offered to'
  if (percentage <= 0) return `${words} nobody, and not available for download`
  if (percentage >= 100) return `${words} all ${followers[channel]}`
  return `${words} about ${percentage}% of ${followers[channel]}`
}
