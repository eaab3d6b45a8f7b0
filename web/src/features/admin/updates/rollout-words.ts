import type { Channel, Release } from '@/lib/api/types'
import { formatDateTime } from '@/lib/dates'
import { lookup } from '@/lib/lookup'

/** Which installed apps follow a channel: alpha gets betas, too. */
const followers: Record<Channel, string> = {
  stable: 'installed apps',
  beta: 'apps on the beta or alpha channel',
  alpha: 'apps on the alpha channel',
}

/** What a rollout means for the people who have the app. */
export function rolloutWords(release: Release): string {
  const { channel, rolloutPercentage: percentage, isAvailable } = release
  const apps = lookup(followers, channel) ?? `apps on the ${channel} channel`
  const words = isAvailable ? 'Offered to' : 'Once enabled, offered to'
  if (percentage <= 0) return `${words} nobody, and not available for download`
  if (percentage >= 100) return `${words} all ${apps}`
  const now = `${words} about ${percentage}% of ${apps}`
  if (!release.nextPercentage) return now
  return `${now}; ${release.nextPercentage}% from ${formatDateTime(release.nextPercentageAt)}. Choose a percentage to stop the rise.`
}
