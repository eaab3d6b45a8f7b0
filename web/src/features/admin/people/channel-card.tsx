import { Box, chakra } from '@chakra-ui/react'
import { useId } from 'react'
import { Select } from '@/components/app/field'
import { Button } from '@/components/button'
import { useGetPersonChannelQuery, useSetPersonChannelMutation } from '@/lib/api/person-api'
import type { Channel } from '@/lib/api/types'
import { formatDateTime } from '@/lib/dates'
import { Fact } from '../facts'
import { channelsWith } from '../updates/channel-choice'
import { useStaffDraft } from '../use-staff-draft'
import { ActionDialog } from './action-dialog'
import { PartCard } from './part-card'
import styles from './person.module.css'

/** Which releases of the Mac app somebody gets. */
export function ChannelCard({ userId }: { userId: string }) {
  const query = useGetPersonChannelQuery(userId, { refetchOnMountOrArgChange: true })
  const [changing, setChanging] = useStaffDraft(`changing-channel:${userId}`)
  return (
    <PartCard title="Update channel" query={query} failed="Failed to load the update channel">
      {({ channel, setAt }) => (
        <>
          <dl className={styles.facts}>
            <Fact name="Channel">
              {setAt ? channel : `${channel}, or as approved on the waitlist`}
            </Fact>
            {setAt && <Fact name="Since">{formatDateTime(setAt)}</Fact>}
          </dl>
          <div className={styles.actions}>
            <Button
              variant="secondary"
              size="dense"
              data-event="change_person_channel"
              onClick={() => setChanging('yes')}
            >
              Change channel
            </Button>
          </div>
          {changing && (
            <ChannelDialog
              userId={userId}
              given={setAt ? channel : null}
              onClose={() => setChanging('')}
            />
          )}
        </>
      )}
    </PartCard>
  )
}

interface ChannelDialogProps {
  userId: string
  /** What staff have given already. */
  given: Channel | null
  onClose: () => void
}

function ChannelDialog({ userId, given, onClose }: ChannelDialogProps) {
  const id = useId()
  const [drafted, setDrafted] = useStaffDraft(`channel:${userId}`)
  const [give] = useSetPersonChannelMutation()
  const channels = channelsWith(given)
  const chosen = [...channels, 'none' as const].find((name) => name === drafted) ?? given ?? 'none'
  return (
    <ActionDialog
      action={{
        title: 'Change update channel',
        text: "The closed beta's page offers the newest release on the channel, and the person's Mac app follows it, whatever they were approved with. On stable, a pre-release goes back to the stable version.",
        label: 'Change channel',
        done: `Update channel is now ${chosen === 'none' ? 'as approved on the waitlist' : chosen}`,
        event: 'set_person_channel',
        run: (reason) => give({ userId, channel: chosen, reason }).unwrap(),
      }}
      subject={userId}
      ready={chosen !== (given ?? 'none')}
      onClose={() => {
        setDrafted('')
        onClose()
      }}
    >
      {(running) => (
        <Box mt="4">
          <chakra.label htmlFor={id} display="block" mb="2" fontSize="sm" fontWeight={600}>
            Channel
          </chakra.label>
          <Select
            id={id}
            waiting={running}
            value={chosen}
            onChange={({ target: { value } }) => setDrafted(value)}
          >
            <option value="none">As approved on the waitlist</option>
            {channels.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </Box>
      )}
    </ActionDialog>
  )
}
