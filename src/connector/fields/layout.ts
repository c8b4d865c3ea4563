import type {ConnectorField} from '../../client/read/connector.js';

/** How a field of a connector is shown. */
interface FieldLayout {
  /** Whether only wide tables have it. */
  readonly wide?: boolean;
  /** Whether a narrow table may cut its values; ids are copied, and times are short. */
  readonly cut?: boolean;
  /** The text of null, which means that there was none yet; without it, such a field is not shown. */
  readonly absent?: string;
  /** Whether no other service has it, so CSV shows it on request alone. */
  readonly referenceOnly?: boolean;
}

export const fieldLayouts: Readonly<Record<ConnectorField, FieldLayout>> = {
  id: {},
  name: {cut: true},
  status: {cut: true},
  organization: {cut: true, wide: true},
  activated_at: {wide: true},
  last_heartbeat_at: {absent: 'never'},
  identity_shared_at: {referenceOnly: true},
};
