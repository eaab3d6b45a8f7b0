import { Box, chakra, Flex, Heading, Text } from '@chakra-ui/react'
import { useId, useState, type SubmitEvent } from 'react'
import { Alert } from '@/components/app/alert'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { Input, Select } from '@/components/app/field'
import { Labelled } from '@/components/app/labelled'
import { LoadFailure } from '@/components/app/load-failure'
import { LoadingStatus } from '@/components/app/loading-status'
import { Skeleton } from '@/components/app/skeleton'
import { Button } from '@/components/button'
import { problemText } from '@/lib/api/problem'
import {
  useCreatePreviewLinkMutation,
  useGetPreviewLinksQuery,
  useRevokePreviewLinkMutation,
} from '@/lib/api/releases-api'
import type { CreatedPreviewLink, PreviewLink, Release } from '@/lib/api/types'
import { copyText } from '@/lib/copy'
import { formatDateTime } from '@/lib/dates'

const DAYS = [1, 7, 14, 30]

/** Links by which whoever has one downloads a release, of one with a disk image: of another nobody could. */
export function PreviewLinks({ release }: { release: Release }) {
  const [open, setOpen] = useState(false)
  const [create, creating] = useCreatePreviewLinkMutation()
  if (!release.assets.some(({ name }) => name.toLowerCase().endsWith('.dmg'))) return null
  return (
    <>
      <Box>
        <Button
          variant="secondary"
          aria-label={`Preview links to v${release.version}`}
          data-event="preview_links"
          onClick={() => setOpen(true)}
        >
          Preview links
        </Button>
      </Box>
      <Dialog
        open={open}
        title={`Preview links to v${release.version}`}
        description="Whoever has a link downloads this release without signing in, even while it is disabled, until the link ends."
        busy={creating.isLoading}
        onClose={() => {
          setOpen(false)
          creating.reset()
        }}
      >
        <DialogBody>
          {open && <Links release={release} create={create} creating={creating} />}
        </DialogBody>
      </Dialog>
    </>
  )
}

type Creation = ReturnType<typeof useCreatePreviewLinkMutation>

interface LinksProps {
  release: Release
  create: Creation[0]
  creating: Creation[1]
}

function Links({ release, create, creating }: LinksProps) {
  const [days, setDays] = useState(7)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!creating.isLoading) void create({ release, days })
  }
  return (
    <Flex direction="column" gap="5">
      <chakra.form display="flex" flexWrap="wrap" alignItems="end" gap="3" onSubmit={submit}>
        <Labelled label="The link works for">
          <Select value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {DAYS.map((count) => (
              <option key={count} value={count}>
                {count === 1 ? '1 day' : `${count} days`}
              </option>
            ))}
          </Select>
        </Labelled>
        <Button type="submit" pending={creating.isLoading} data-event="create_preview_link">
          Make link
        </Button>
      </chakra.form>
      {creating.error && (
        <Alert problem="action_failed">
          {problemText(creating.error, 'Failed to make the link')}
        </Alert>
      )}
      <div role="status">{creating.data && <Created created={creating.data} />}</div>
      <InUse
        release={release}
        onRevoked={(id) => {
          if (id === creating.data?.link.id) creating.reset()
        }}
      />
    </Flex>
  )
}

/** The addresses of a link that was just made, one for each kind of Mac. */
function Created({ created }: { created: CreatedPreviewLink }) {
  const [said, setSaid] = useState('')
  const copy = async (url: string) => {
    const copied = await copyText(url)
    setSaid(copied ? 'Link copied.' : "The link couldn't be copied. Select it and copy it by hand.")
  }
  return (
    <Flex direction="column" gap="3">
      <Text fontSize="sm" fontWeight={600}>
        Copy it now: it is not shown again.
      </Text>
      {created.downloads.map(({ filename, url }) => (
        <Flex key={filename} wrap="wrap" align="end" gap="2">
          <Box flex="1 1 10rem" minW="0">
            <Labelled label={filename}>
              <Input readOnly value={url} onFocus={(event) => event.target.select()} />
            </Labelled>
          </Box>
          <Button
            variant="secondary"
            aria-label={`Copy the link to ${filename}`}
            data-event="copy_preview_link"
            onClick={() => void copy(url)}
          >
            Copy
          </Button>
        </Flex>
      ))}
      <Text role="status" fontSize="sm">
        {said}
      </Text>
    </Flex>
  )
}

/** The links that have not ended, which can be revoked. */
function InUse({ release, onRevoked }: { release: Release; onRevoked: (id: number) => void }) {
  const heading = useId()
  const { data, error, isFetching, refetch } = useGetPreviewLinksQuery(release.version, {
    refetchOnMountOrArgChange: true,
  })
  const [revoke, revoking] = useRevokePreviewLinkMutation()
  const end = async (linkId: number) => {
    const { error: refused } = await revoke({ release, linkId })
    if (!refused) onRevoked(linkId)
  }
  if (!data && error) {
    return (
      <LoadFailure
        error={error}
        message="Failed to load the links"
        retrying={isFetching}
        onRetry={() => void refetch()}
      />
    )
  }
  return (
    <section aria-labelledby={heading}>
      <Heading as="h3" id={heading} fontSize="md">
        In use
      </Heading>
      {!data && (
        <>
          <LoadingStatus>Loading links...</LoadingStatus>
          <Skeleton height="2.75rem" />
        </>
      )}
      {data?.links.length === 0 && (
        <Text mt="2" color="quiet" fontSize="sm">
          None.
        </Text>
      )}
      <chakra.ul role="list" aria-labelledby={heading} mt="2">
        {data?.links.map((link) => (
          <LinkInUse
            key={link.id}
            link={link}
            revoking={revoking.isLoading && revoking.originalArgs?.linkId === link.id}
            onRevoke={() => void end(link.id)}
          />
        ))}
      </chakra.ul>
      {revoking.error && (
        <Alert problem="action_failed">
          {problemText(revoking.error, 'Failed to revoke the link')}
        </Alert>
      )}
    </section>
  )
}

interface LinkInUseProps {
  link: PreviewLink
  revoking: boolean
  onRevoke: () => void
}

function LinkInUse({ link, revoking, onRevoke }: LinkInUseProps) {
  const made = formatDateTime(link.createdAt)
  return (
    <chakra.li display="flex" flexWrap="wrap" alignItems="center" columnGap="3">
      <Text flex="1 1 12rem" fontSize="sm" fontVariantNumeric="tabular-nums">
        Link {link.id}: made {made}, ends {formatDateTime(link.endsAt)}
      </Text>
      <Button
        variant="secondary"
        aria-label={`Revoke link ${link.id}, made ${made}`}
        pending={revoking}
        data-event="revoke_preview_link"
        onClick={onRevoke}
      >
        Revoke
      </Button>
    </chakra.li>
  )
}
