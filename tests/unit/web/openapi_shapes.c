/* openapi_shapes.c - how answers look (openapi.h says how a shape is written; wire §2 to §5 says what the keys mean). */
#include "openapi.h"

const struct shape_words shape_words[] = {
    { "lease_state", &lease_state_words }, { "lease_why", &lease_why_words }, { "lease_source", &lease_source_words },
    { "lease_mode", &lease_mode_words }, { "xr_state", &xr_state_words }, { "xr_action", &xr_action_words }, { "enforce", &enforce_words },
    { "circuit", &circuit_words }, { "safe_mode", &safe_mode_words }, { "stream_state", &stream_state_words },
    { "stream_why", &stream_why_words }, { "ticket_state", &ticket_state_words }, { "wait", &wait_words }, { "approval", &approval_words },
    { "accept_mode", &accept_mode_words }, { "session", &session_words }, { "stream_status", &stream_status_words },
    { "gate_mode", &gate_mode_words }, { "action", &action_words }, { "why_not", &why_not_words }, { "divergence", &divergence_words },
    { "conflict", &conflict_words }, { "note", &note_words }, { "op", &op_words }, { "op_state", &op_state_words },
    { "custodian", &custodian_words }, { "hold", &hold_words }, { NULL, NULL },
};

const struct shape shapes[] = {
    /* what heads are given */
    { "Lease", "id epoch:int slot:int state:lease_state claim_token? ttl_seconds:int? renew_after_seconds:int? start_deadline_seconds:int? "
               "stream_id?" },
    { "Hosts", "lan? wireguard? same_machine:bool" },
    { "Ports", "gamestream:int? gamestream_tls:int? web:int?" },
    { "LeaseBody", "id name? hosts:Hosts ports:Ports app_name? sunshine_cert_fp? pair_epoch:int directive_applied:bool" },
    { "PairNeed", "required:bool reason?" },
    { "Ticket", "id stream_id? position:int eta_seconds:int? reason:wait? created_at:time? state:ticket_state" },
    { "Stream", "id head_id? experience? state:stream_state reason:stream_why? created_at:time? age_seconds:int? lease_id? ticket_id? "
                "unattended_seconds:int?" },
    { "Granted", "lease:Lease body:LeaseBody pair:PairNeed" },
    { "Queued", "ticket:Ticket retry_after_seconds:int" },
    { "Would", "status:int error? reason? body_id? slot:int? position:int? eta_seconds:int?" },
    { "DryRun", "would:Would" },
    { "Renewed", "ttl_seconds:int? epoch:int lease_id" },
    { "Admission", "stream:Stream? lease:Lease? ticket:Ticket? body:LeaseBody? pair:PairNeed?" },
    { "OneStream", "stream:Stream" },
    { "OneLease", "lease:Lease" },
    { "PairLease", "id mode:lease_mode body_id slot:int head_id ttl_seconds:int?" },
    { "PairGranted", "lease:PairLease" },
    { "PinTaken", "status:bool" },
    { "XrSession", "session_id state:xr_state body_id experience body_host reason" },
    { "EligibleLease", "id state:lease_state expires_in_s:int? mine:bool" },
    { "Eligible", "id name ip wireguard_ip same_venue:bool stream_count:int xr_drivers:[text] xr_state slot:int slots_total:int "
                  "slots_free:int reported_at:time? gpu_memory_total_mb:int pair_epoch:int sunshine_cert_fp? lease:EligibleLease?" },
    { "StreamBlock", "stream_url stream_url_lan stream_app_id stream_mode" },
    { "PairingTarget", "body_id hosts:[text] server_cert_fp?" },
    { "Head", "name type district venue ~stream:StreamBlock ~xr_client_hostname pairing_targets:[PairingTarget] per_device_identity:bool "
              "status? body_id? last_seen:time? diagnostics:any ~sunshine_username? ~sunshine_password?" },
    { "Offer", "name label ~orientation enable_microphone:bool ~stream_mode" },
    { "Commands", "screenshot:bool" },
    { "Done", "status:=ok" },
    { "HeadMade", "head_id token server_url" },
    { "NodeMade", "node_id token server_url" },
    { "Registered", "registered_at:time ~supersedes_fingerprint ~overlap_until:time" },
    { "Predecessor", "fingerprint overlap_until:time?" },
    { "Identity", "head_id device_uid fingerprint registered_at:time? not_after:time? revoked_at:time? predecessor:Predecessor? "
                  "shown_by:[text]" },
    /* what bodies are told */
    { "Gate", "mode:gate_mode everyone:bool enabled:[text]" },
    { "DesiredSlot", "index:int action:action lease_id? epoch:int head_id? device_uid? sunshine_client_uuid? app_entries:[text] "
                     "protocol:int? evict:[text] gate:Gate" },
    { "DesiredXr", "session_id action:xr_action state:xr_state experience? client_hostname? client_ip?" },
    { "Desired", "digest epoch_floor:int enforce:enforce maintenance:bool slots:[DesiredSlot] xr:DesiredXr? issued_at_seconds_ago:int" },
    { "TrustedClient", "uuid? name?" },
    { "Trust", "desired_clients:[TrustedClient] remove:[text] max_clients:int" },
    { "Directive", "desired:Desired trust:Trust" },
    { "Reported", "~terminate_stream:bool desired:Desired trust:Trust next_report_seconds:int?" },
    { "OpArgs", "~uuid ~pin ~name? ~force:bool" },
    { "OpAsked", "op_id" },
    { "OpNext", "op_id op:op args:OpArgs" },
    { "OpResult", "op_id op:op state:op_state error? asked_by? asked_at:time? finished_at:time? output:any" },
    /* what operators see */
    { "SlotLease", "id state:lease_state reason:lease_why? source:lease_source protocol:int mode:lease_mode experience? head_id? "
                   "stream_id? grant_epoch:int left_behind:bool granted_at:time? head_name? head_venue? age_seconds:int? "
                   "expires_in_seconds:int? start_deadline_in_seconds:int? seconds_since_head_renewal:int? unattended_seconds:int?" },
    { "ObservedGate", "mode:gate_mode? reason?" },
    { "Observed", "source:=body|head state:session? stream_status:stream_status? lease_id? launch_id? client_uuid? client_name? app? "
                  "head_id? boot_id? reported_at:time? applied_epoch:int? report_seq:int? age_seconds:int? gate:ObservedGate" },
    { "SlotRow", "body_id body_name? venue? district? slot:int epoch:int occupied:bool grantable:bool why_not:[why_not] "
                 "lease:SlotLease? observed:Observed? divergence:[divergence]" },
    { "Pool", "pool slots:int occupied:int grantable:int queue_depth:int wait_median_seconds:int? wait_p90_seconds:int? "
              "open_circuits:[text]" },
    { "VenuePool", "venue? slots:int occupied:int queue_depth:int wait_median_seconds:int? wait_p90_seconds:int?" },
    { "Denials", "by_reason:{int} by_head_venue:{int} by_body_venue:{int}" },
    { "Allocation", "pools:[Pool] venues:[VenuePool] denials_last_hour:Denials" },
    { "Conflict", "body_id slot:int kind:conflict lease_id? holder_head_id? observed_head_id? client_uuid? client_name? since_seconds:int? "
                  "expected_legacy:bool source:=body|head" },
    { "Skipped", "body_id slot:int why_not:[why_not]" },
    { "QueueRow", "ticket_id stream_id? head_id district? experience? protocol:int state:ticket_state created_at:time? head_name? venue? "
                  "position:int eta_seconds:int? reason:wait? waited_seconds:int? expires_in_seconds:int? skipped:[Skipped]" },
    { "Candidate", "rank:int body_id slot:int eligible:bool grantable:bool why_not:[why_not] demoted:bool" },
    { "Explained", "head_id experience? would:Would candidates:[Candidate]" },
    { "Session", "lease_id stream_id? head_id? head_venue? body_id? body_venue? slot:int experience? protocol:int source:lease_source "
                 "mode:lease_mode grant_epoch:int granted_at:time? streaming_at:time? ended_at:time? state:lease_state reason:lease_why?" },
    { "GrantStory", "source:lease_source at:time? head_id? body_id? slot:int facts:[text]" },
    { "EndStory", "state:lease_state reason:lease_why? at:time?" },
    { "Event", "id at:time? type:note district? ~body_id ~slot:int ~lease_id ~head_id expected_legacy:bool detail" },
    { "LeaseStory", "lease_id found_in:=store|history session:Session granted:GrantStory ended:EndStory? events:[Event] "
                    "events_complete:bool" },
    { "EndedLease", "id state:lease_state reason:lease_why? head_id? stream_id? epoch:int slot:int" },
    { "LeaseEnd", "lease:EndedLease" },
    { "NodeBody", "slots_total:int enforce:enforce maintenance:bool drain_deadline_at:time? circuit:circuit pair_epoch:int "
                  "sunshine_cert_fp? home_venue_reserve:int+=auto modern:bool gpu? provider_status? provider_version?" },
    { "Node", "id name? district? venue? owner? machine_id? ip? wireguard_ip? kind? approval:approval version? arch? enrolled_at:time? "
              "xr_client_hostname? head_body_id? protocol_version:int pairing_protocol:int roles:[=body|head] online:bool last_seen:time? "
              "status? body_version? lease_id? body:NodeBody?" },
    { "Body", "id name? district? venue? owner? approval:approval machine_id? ip? wireguard_ip? online:bool "
              "slots_total:int enforce:enforce maintenance:bool drain_deadline_at:time? pair_epoch:int sunshine_cert_fp? "
              "circuit:circuit circuit_until:time? home_venue_reserve:int+=auto reported_at:time? report_age_seconds:int? modern:bool "
              "boot_id? gpu? gpu_memory_total_mb:int "
              "provider_status? provider_version? hydrabody_version? stream_status:stream_status? xr_state? xr_drivers:[text] "
              "installed_experiences:[text] paired_clients_count:int?" },
    { "Settings", "slots_total:int enforce:enforce maintenance:bool home_venue_reserve:int+=auto maintenance_clients:[text]" },
    { "Drain", "armed:bool leases:[text] tickets:[text]" },
    { "PairedClient", "uuid name? first_seen:time?" },
    { "Eviction", "uuid? name? at:time?" },
    { "PairLeaseRow", "id slot:int head_id? expires_in_seconds:int" },
    { "Pairing", "body_id clients:[PairedClient] custodian_last_success_at:time? sunshine_cert_fp? sunshine_cert_rotated_at:time? "
                 "pair_epoch:int evictions:[Eviction] operations_polled_at:time? custodian:custodian? pair_leases:[PairLeaseRow]" },
    { "Venue", "name district? owner? queue_accept_mode:accept_mode max_concurrent_grants:int?" },
    { "Org", "name max_concurrent_grants:int?" },
    { "Experience", "name label? orientation? enable_microphone:bool stream_mode? venues:[text]?" },
    { "Hold", "node_id? name? role:=body|head? reason:hold?" },
    { "District", "district safe_mode:safe_mode safe_mode_since:time? awaited:[text] per_device_identity:bool "
                  "per_device_identity_at:time? held_back_by:[Hold]" },
    { "MigrationStep", "step:int name done:bool heads:[Hold] bodies:[Hold]" },
    { "Retirement", "holds:bool since:time? consecutive_days:int days_required:int" },
    { "Migration", "district steps:[MigrationStep] retirement:Retirement" },
    { "Dependencies", "store:=ok|down history:=ok|failing" },
    { "Health", "service:=hydraclusterd version district uptime_seconds:int status:=ok|degraded dependencies:Dependencies" },
    { "Holder", "head_id device_uid?" },
    { NULL, NULL },
};
