import { Box, chakra, Flex, Grid, Heading, Text } from '@chakra-ui/react'
import { useState } from 'react'
import { Alert } from '@/components/app/alert'
import { Card } from '@/components/app/card'
import { DayChart } from '@/components/app/charts/day-chart'
import { RankedBars } from '@/components/app/charts/ranked-bars'
import { Select } from '@/components/app/field'
import { statusTextOf } from '@/lib/api/problem'
import type { VersionUsage } from '@/lib/api/types'
import { lookup } from '@/lib/lookup'
import { whole } from '@/lib/numbers'
import { OTHER, percent, shareOfDays, sumOf, versionsOf } from './usage'

interface VersionsInUseProps {
  /** Absent until it has come. */
  usage?: VersionUsage
  error?: unknown
}

/** Which versions look for updates: how each spreads, and on what Macs. Nothing until an app has looked. */
export function VersionsInUse({ usage, error }: VersionsInUseProps) {
  const versions = usage ? versionsOf(usage) : []
  if (!error && versions.length === 0) return null
  return (
    <Flex as="section" direction="column" gap="4" aria-labelledby="versions-in-use">
      <Box>
        <Heading as="h2" id="versions-in-use" fontSize="lg">
          Versions in use
        </Heading>
        <Text color="muted" fontSize="sm">
          By update checks of the last 30 days, kept for 400. An app looks more than once a day:
          these are checks, not Macs.
        </Text>
      </Box>
      {Boolean(error) && <Alert>Failed to fetch versions in use: {statusTextOf(error)}</Alert>}
      {usage && versions.length > 0 && (
        <Grid templateColumns={{ lg: 'repeat(2, minmax(0, 1fr))' }} gap="5">
          <Adoption usage={usage} versions={versions.map(({ name }) => name)} />
          <Card aria-labelledby="usage-shares">
            <Heading as="h3" id="usage-shares" fontSize="md" fontWeight={600}>
              Update checks
            </Heading>
            <Shares title="Version" shares={versions} nameOf={versionName} />
            <Shares title="macOS" shares={usage.systems} nameOf={(name) => `macOS ${name}`} />
            <Shares
              title="Mac"
              shares={usage.archs}
              nameOf={(name) => lookup(MACS, name) ?? name}
            />
            <Shares title="Channel" shares={usage.channels} nameOf={(name) => name} />
          </Card>
        </Grid>
      )}
    </Flex>
  )
}

const MACS = { arm64: 'Apple silicon', x64: 'Intel' }
const versionName = (name: string) => `v${name}`
const named = (name: string, nameOf: (name: string) => string) =>
  name === OTHER ? 'Unknown' : nameOf(name)

/** How large a version's part of each day's checks was. */
function Adoption({ usage, versions }: { usage: VersionUsage; versions: readonly string[] }) {
  const [chosen, setChosen] = useState<string>()
  const version = versions.find((name) => name === chosen) ?? versions[0]!
  const { days, share } = shareOfDays(usage, version)
  const name = named(version, versionName)
  const summary = `${name}: ${percent(share)} of update checks in ${days.length} days`
  return (
    <Card aria-labelledby="adoption">
      <Flex wrap="wrap" align="center" justify="space-between" gap="3">
        <Heading as="h3" id="adoption" fontSize="md" fontWeight={600}>
          Adoption, by day in UTC
        </Heading>
        <Select
          aria-label="Version"
          value={version}
          onChange={(event) => setChosen(event.target.value)}
        >
          {versions.map((option) => (
            <option key={option} value={option}>
              {named(option, versionName)}
            </option>
          ))}
        </Select>
      </Flex>
      <Text mb="3" fontVariantNumeric="tabular-nums">
        {summary}
      </Text>
      <DayChart
        days={days}
        summary={summary}
        unit="Share of update checks"
        caption={`Adoption of ${name} by day`}
        format={percent}
      />
    </Card>
  )
}

interface SharesProps {
  title: string
  shares: VersionUsage['archs']
  nameOf: (name: string) => string
}

function Shares({ title, shares, nameOf }: SharesProps) {
  const total = sumOf(shares)
  return (
    <>
      <Title>{title}</Title>
      <RankedBars
        label={`Update checks by ${title}`}
        rows={shares.map(({ name, total: value }) => ({ name: named(name, nameOf), value }))}
        format={(value) => `${whole(value)} (${percent(value / total)})`}
      />
    </>
  )
}

const Title = chakra('h4', { base: { mt: '4', mb: '1', fontSize: 'sm', color: 'muted' } })
