import type { Channel, Release } from '@/lib/api/types'
import { formatDateTime } from '@/lib/dates'
import { lookup } from '@/lib/lookup'

/** Which installed apps follow a channel: alpha gets betas, too. */
export const followers: Record<Channel, string> = {
  stable: 'installed apps',
  beta: 'apps on the beta or alpha channel',
  alpha: 'apps on the alpha channel',
}

/** Why apps with electron-updater are not offered a release. */
const problems: Record<NonNullable<Release['updateProblem']>, string> = {
  no_archive: 'for one kind of Mac or both it has no archive (.zip), or an empty one',
  misleading_names: 'they would misread the names of its archives',
  no_checksum: 'the checksums of its archives are not worked out yet',
}

/** What a rollout means for the people who have the app. */
export function rolloutWords(release: Release): string {
  const { channel, rolloutPercentage: percentage, isAvailable } = release
  const apps = lookup(followers, channel) ?? `apps on the ${channel} channel`
  const words = isAvailable ? 'Offered to' : 'Once enabled, offered to'
  if (percentage <= 0) return `${words} nobody, and not available for download`
  const problem = lookup(problems, release.updateProblem ?? '')
  // Checksums are worked out once it is enabled.
  if (problem && (isAvailable || release.updateProblem !== 'no_checksum')) {
    return `${words} no app with electron-updater, because ${problem}`
  }
  if (percentage >= 100) return `${words} all ${apps}`
  const now = `${words} about ${percentage}% of ${apps}`
  if (!release.nextPercentage) return now
  const then = isAvailable ? `from ${formatDateTime(release.nextPercentageAt)}` : 'a day later'
  return `${now}; ${release.nextPercentage}% ${then}. Choose a percentage to stop the rise.`
}
